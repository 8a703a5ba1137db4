import random
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from services.ticketing.tests.conftest import Eyes
from services.ticketing.tests.fakes import ScriptedHelpdesk, message, only, order
from ticketing.tasks.edge import Edge
from ticketing.tasks.places import Places
from ticketing.tasks.polling import poll, take_over
from ticketing.tasks.receiving import receive_order
from ticketing.tickets.helpdesk import HelpdeskStatus, Limits, NotCreatedError

pytestmark = pytest.mark.store


def _created(edge: Edge, tenant: str, helpdesk: ScriptedHelpdesk) -> Edge:
    edge = replace(edge, choose=only(helpdesk))
    receive_order(edge, message(order(tenant)))
    return edge


def _ticket_id(eyes: Eyes) -> UUID:
    return eyes.ticket()["id"]


def test_what_people_do_is_told_and_a_solved_ticket_is_asked_about_no_more(edge: Edge, tenant: str, eyes: Eyes) -> None:
    helpdesk = ScriptedHelpdesk(is_polled=True)
    edge = _created(edge, tenant, helpdesk)

    for status in (HelpdeskStatus(status="IN_PROGRESS"), HelpdeskStatus(status="SOLVED", solution="已退款。")):
        helpdesk.status = status
        eyes.pass_time(60)
        assert poll(edge, tenant=tenant, ticket_id=_ticket_id(eyes), places=edge.places)

    assert [told[0] for told in eyes.told()] == ["TICKET_CREATED", "IN_PROGRESS", "SOLVED"]
    last = eyes.rows("SELECT data FROM outbox ORDER BY (data->>'sequence')::int DESC LIMIT 1")
    assert last[0]["data"]["solution"] == "已退款。"
    assert eyes.ticket()["poll_at"] is None


def test_a_poll_that_is_not_due_asks_nobody(edge: Edge, tenant: str, eyes: Eyes) -> None:
    edge = _created(edge, tenant, ScriptedHelpdesk(is_polled=True))

    assert not poll(edge, tenant=tenant, ticket_id=_ticket_id(eyes), places=edge.places)


def test_a_ticket_that_was_deleted_is_solved_for_the_customer_and_asked_about_no_more(
    edge: Edge, tenant: str, eyes: Eyes
) -> None:
    edge = _created(edge, tenant, ScriptedHelpdesk(is_polled=True, status=None))
    eyes.pass_time(60)

    assert poll(edge, tenant=tenant, ticket_id=_ticket_id(eyes), places=edge.places)
    assert eyes.told()[-1][0] == "SOLVED"
    assert eyes.ticket()["poll_at"] is None


def test_nothing_new_is_not_told(edge: Edge, tenant: str, eyes: Eyes) -> None:
    status = HelpdeskStatus(status="TICKET_CREATED")
    edge = _created(edge, tenant, ScriptedHelpdesk(is_polled=True, status=status))

    for _ in range(3):
        eyes.pass_time(60)
        assert poll(edge, tenant=tenant, ticket_id=_ticket_id(eyes), places=edge.places)

    assert [told[0] for told in eyes.told()] == ["TICKET_CREATED"]


def test_a_helpdesk_that_does_not_answer_is_asked_again_later(edge: Edge, tenant: str, eyes: Eyes) -> None:
    class Silent(ScriptedHelpdesk):
        def read(self, *, tenant: str, external_id: str) -> HelpdeskStatus | None:
            raise NotCreatedError(f"{tenant} {external_id}")

    edge = _created(edge, tenant, Silent(is_polled=True))
    eyes.pass_time(60)

    assert poll(edge, tenant=tenant, ticket_id=_ticket_id(eyes), places=edge.places)
    assert eyes.ticket()["poll_at"] is not None


def test_a_helpdesk_that_rests_is_not_polled(edge: Edge, tenant: str, eyes: Eyes) -> None:
    edge = _created(edge, tenant, ScriptedHelpdesk(is_polled=True, limits=Limits()))
    eyes.pass_time(60)
    eyes.run("UPDATE helpdesk_gate SET closed_until = clock_timestamp() + interval '1 minute'")

    assert not poll(edge, tenant=tenant, ticket_id=_ticket_id(eyes), places=edge.places)


def test_a_ticket_for_which_there_is_no_place_is_asked_about_at_its_next_turn(
    edge: Edge, tenant: str, eyes: Eyes
) -> None:
    edge = _created(edge, tenant, ScriptedHelpdesk(is_polled=True, status=HelpdeskStatus(status="IN_PROGRESS")))
    asked: list[bool] = []

    for places in (Places(most=0, most_at_one=0), edge.places):
        eyes.pass_time(60)
        asked.append(poll(edge, tenant=tenant, ticket_id=_ticket_id(eyes), places=places))

    assert asked == [False, True]
    assert [told[0] for told in eyes.told()] == ["TICKET_CREATED", "IN_PROGRESS"]


def test_a_helpdesk_that_asks_for_patience_when_it_is_read_gets_it(edge: Edge, tenant: str, eyes: Eyes) -> None:
    class Busy(ScriptedHelpdesk):
        def read(self, *, tenant: str, external_id: str) -> HelpdeskStatus | None:
            raise NotCreatedError(f"{tenant} {external_id}", retry_after=timedelta(minutes=5))

    edge = _created(edge, tenant, Busy(is_polled=True))
    eyes.pass_time(60)

    poll(edge, tenant=tenant, ticket_id=_ticket_id(eyes), places=edge.places)

    soon = "now() + interval '4 minutes'"
    assert len(eyes.rows(f"SELECT helpdesk FROM helpdesk_gate WHERE closed_until > {soon}")) == 1  # noqa: S608


@pytest.mark.parametrize("seed", range(8))
def test_in_whatever_order_news_arrives_the_status_only_moves_forward(
    edge: Edge, tenant: str, eyes: Eyes, seed: int
) -> None:
    edge = _created(edge, tenant, ScriptedHelpdesk())
    news = [HelpdeskStatus(status=status) for status in ("TICKET_CREATED", "IN_PROGRESS", "SOLVED")] * 2
    random.Random(seed).shuffle(news)  # noqa: S311 - a repeatable order, no secret

    for each in news:
        take_over(edge, tenant=tenant, ticket_key="key-1", found=each)

    told = eyes.told()
    order_of = ["TICKET_CREATED", "IN_PROGRESS", "SOLVED"]
    ranks = [order_of.index(status) for status, _, _ in told]
    assert ranks == sorted(set(ranks))
    assert told[-1][0] == "SOLVED"
    assert [sequence for _, sequence, _ in told] == list(range(1, len(told) + 1))
