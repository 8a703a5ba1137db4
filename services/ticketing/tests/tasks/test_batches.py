import random
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from functools import partial

import pytest
from celery import Celery

from contracts.errors import TryAgainError, UnavailableError
from contracts.ids import uuid7
from contracts.messages import ACKNOWLEDGED, CreateTicket, Envelope
from runtime.database import SyncDatabase
from services.ticketing.tests.conftest import Acknowledgements, Eyes
from services.ticketing.tests.fakes import MOMENT, ScriptedHelpdesk, WorkerKilled, message, only, order
from ticketing.adapters.desk import BuiltInDesk
from ticketing.adapters.masked import MaskedHelpdesk
from ticketing.tasks.batches import receive_acknowledgements, receive_orders, register_batches
from ticketing.tasks.edge import Edge
from ticketing.tasks.receiving import receive_order

pytestmark = pytest.mark.store


class Choking(MaskedHelpdesk):
    """The built-in desk behind a bug that one order brings out."""

    def told(self, ticket: CreateTicket) -> CreateTicket:
        if ticket.ticket_key == "spoiled":
            raise KeyError
        return super().told(ticket)


def _orders(tenant: str, count: int) -> list[dict[str, object]]:
    return [message(_order(tenant, number)) for number in range(count)]


def _order(tenant: str, number: int) -> CreateTicket:
    wanted = order(tenant, ticket_key=f"key-{number}", question=f"第{number}个问题")
    return wanted.model_copy(update={"attempt_id": f"att_{number:032d}"})


def test_orders_that_came_together_are_numbered_in_their_order(
    edge: Edge, tenant: str, eyes: Eyes, acknowledgements: Acknowledgements
) -> None:
    bodies = _orders(tenant, 20)

    receive_orders(edge, bodies)

    found = eyes.rows("SELECT ticket_key, number, body->>'question' AS said FROM desk_ticket ORDER BY number")
    assert [(row["ticket_key"], row["number"], row["said"]) for row in found] == [
        (f"key-{number}", 1001 + number, f"第{number}个问题") for number in range(20)
    ]
    assert acknowledgements.message_ids == [body["id"] for body in bodies]


@pytest.mark.parametrize("major", [2, 9])
def test_orders_of_an_unknown_major_that_came_together_are_parked(
    edge: Edge, tenant: str, eyes: Eyes, acknowledgements: Acknowledgements, major: int
) -> None:
    name = f"youju.create_ticket.v{major}"
    bodies = [body | {"type": name} for body in _orders(tenant, 3)]
    with Celery("tests", set_as_current=False) as app:
        register_batches(app, edge)

        app.tasks[f"{name}.batch"](bodies)

    assert [row["reason"] for row in eyes.rows("SELECT reason FROM parked_message")] == ["UNKNOWN_VERSION"] * 3
    assert acknowledgements.message_ids == [body["id"] for body in bodies]


def test_each_of_them_is_in_the_ledger_as_if_it_had_come_alone(edge: Edge, tenant: str, eyes: Eyes) -> None:
    receive_orders(edge, _orders(tenant, 3))

    rows = eyes.rows("SELECT state, fence, due_at, open_since, external_id, helpdesk, sequence, status FROM ticket")
    kept = {"state": "CREATED", "fence": 1, "due_at": None, "open_since": None, "helpdesk": "desk", "sequence": 1}
    assert all(kept.items() <= row.items() for row in rows)
    assert {row["external_id"] for row in rows} == {"1001", "1002", "1003"}
    tries = eyes.rows("SELECT fence, step, outcome, external_id, finished_at >= started_at AS ends FROM ticket_try")
    assert {(each["fence"], each["step"], each["outcome"], each["ends"]) for each in tries} == {
        (1, "create", "CREATED", True)
    }
    assert Counter(eyes.told()) == Counter(("TICKET_CREATED", 1, f"T-{number}") for number in (1001, 1002, 1003))


def test_a_repeat_and_other_content_among_new_orders_go_their_own_way(
    edge: Edge, tenant: str, eyes: Eyes, acknowledgements: Acknowledgements
) -> None:
    first = message(order(tenant, ticket_key="first"))
    receive_order(edge, first)
    eyes.run("UPDATE outbox SET state = 'ACKNOWLEDGED', acknowledged_at = clock_timestamp()")
    other = message(order(tenant, ticket_key="first", question="another question"))

    receive_orders(edge, [first, *_orders(tenant, 2), other])

    assert len(eyes.rows("SELECT id FROM desk_ticket")) == 3
    assert [row["reason"] for row in eyes.rows("SELECT reason FROM parked_message")] == ["CONFLICT"]
    assert len(acknowledgements.message_ids) == 5


def test_a_key_twice_in_one_batch_is_one_ticket(edge: Edge, tenant: str, eyes: Eyes) -> None:
    receive_orders(edge, _orders(tenant, 3) + _orders(tenant, 3))

    assert len(eyes.rows("SELECT id FROM desk_ticket")) == 3
    assert len(eyes.rows("SELECT id FROM ticket_try")) == 3


def test_a_malformed_order_among_others_is_parked(edge: Edge, tenant: str, eyes: Eyes) -> None:
    malformed = message(order(tenant, ticket_key="bad"), extra={"priority": "panic"})

    receive_orders(edge, [malformed, *_orders(tenant, 2)])

    assert [row["reason"] for row in eyes.rows("SELECT reason FROM parked_message")] == ["MALFORMED"]
    assert len(eyes.rows("SELECT id FROM desk_ticket")) == 2


def test_erased_attempts_among_others_open_no_ticket(
    edge: Edge, tenant: str, eyes: Eyes, acknowledgements: Acknowledgements
) -> None:
    eyes.run(f"INSERT INTO erased_attempt (tenant, attempt_id) VALUES ('{tenant}', 'att_{1:032d}')")  # noqa: S608

    receive_orders(edge, _orders(tenant, 3))

    assert {row["ticket_key"] for row in eyes.rows("SELECT ticket_key FROM ticket")} == {"key-0", "key-2"}
    assert len(acknowledgements.message_ids) == 3


def test_orders_for_a_helpdesk_elsewhere_go_on_alone(
    edge: Edge, tenant: str, eyes: Eyes, acknowledgements: Acknowledgements
) -> None:
    forwarded: list[Envelope] = []
    bodies = _orders(tenant, 3)

    receive_orders(replace(edge, choose=only(ScriptedHelpdesk()), forward=forwarded.append), bodies)

    assert [envelope.id for envelope in forwarded] == [body["id"] for body in bodies]
    assert eyes.rows("SELECT id FROM ticket") == []
    assert acknowledgements.message_ids == []


def test_the_desk_hears_no_more_than_the_tenant_allows(
    edge: Edge, tenant: str, eyes: Eyes, database: SyncDatabase
) -> None:
    desk = MaskedHelpdesk(BuiltInDesk(database, new_id=uuid7), frozenset({"email"}))
    wanted = order(tenant, question="我的邮箱是 li.wei@example.com")

    receive_orders(replace(edge, choose=only(desk)), [message(wanted), *_orders(tenant, 1)])

    said = [row["said"] for row in eyes.rows("SELECT body->>'question' AS said FROM desk_ticket")]
    assert not any("li.wei" in question for question in said)


def test_an_order_that_spoils_the_transaction_sends_each_on_alone(edge: Edge, tenant: str, eyes: Eyes) -> None:
    spoiled, bodies, forwarded = message(order(tenant, ticket_key="spoiled")), _orders(tenant, 3), list[Envelope]()
    choking = Choking(BuiltInDesk(edge.database, new_id=uuid7), frozenset())
    receive_orders(replace(edge, choose=only(choking), forward=forwarded.append), [spoiled, *bodies])
    assert [envelope.id for envelope in forwarded] == [body["id"] for body in [spoiled, *bodies]]

    for envelope in forwarded[1:]:
        receive_order(edge, envelope.model_dump(mode="json"))

    assert {row["ticket_key"] for row in eyes.rows("SELECT ticket_key FROM desk_ticket")} == {"key-0", "key-1", "key-2"}


def test_a_database_that_is_away_leaves_the_batch_to_its_repetition(
    edge: Edge, tenant: str, acknowledgements: Acknowledgements
) -> None:
    away = SyncDatabase("postgresql+psycopg://app@127.0.0.1:1/nowhere", pool_size=1)

    with pytest.raises(UnavailableError):
        receive_orders(replace(edge, database=away), _orders(tenant, 3))

    away.close()
    assert acknowledgements.message_ids == []


def test_a_worker_killed_before_the_commit_leaves_nothing_and_after_it_everything(
    edge: Edge, tenant: str, eyes: Eyes
) -> None:
    def kill_before() -> datetime:
        raise WorkerKilled

    def kill_after(_envelopes: Sequence[Envelope]) -> None:
        raise WorkerKilled

    bodies = _orders(tenant, 3)
    with pytest.raises(WorkerKilled):
        receive_orders(replace(edge, clock=kill_before), bodies)
    assert eyes.rows("SELECT id FROM ticket") == []
    with pytest.raises(WorkerKilled):
        receive_orders(replace(edge, acknowledge=kill_after), bodies)

    receive_orders(edge, bodies)

    assert len(eyes.rows("SELECT id FROM desk_ticket")) == 3
    assert len(eyes.rows("SELECT id FROM ticket_try")) == 3


def test_a_lost_acknowledgement_of_a_batch_loses_no_ticket(edge: Edge, tenant: str, eyes: Eyes) -> None:
    def lose(_envelopes: Sequence[Envelope]) -> None:
        raise TryAgainError

    receive_orders(replace(edge, acknowledge=lose), _orders(tenant, 3))

    assert {row["state"] for row in eyes.rows("SELECT state FROM ticket")} == {"CREATED"}


@pytest.mark.parametrize("seed", range(3))
def test_batches_that_overlap_in_any_order_give_one_ticket_a_key(
    edge: Edge, tenant: str, eyes: Eyes, seed: int
) -> None:
    source = random.Random(seed)  # noqa: S311 - a repeatable mixture, no secret
    bodies = _orders(tenant, 30)
    batches = [source.sample(bodies, k=20) for _ in range(6)] + [[body] for body in bodies]

    with ThreadPoolExecutor(8) as workers:
        list(workers.map(partial(receive_orders, edge), batches))

    keys = Counter(row["ticket_key"] for row in eyes.rows("SELECT ticket_key FROM desk_ticket"))
    assert keys == Counter(f"key-{number}" for number in range(30))
    assert {row["state"] for row in eyes.rows("SELECT state FROM ticket")} == {"CREATED"}


def test_acknowledgements_that_came_together_end_each_repetition(edge: Edge, tenant: str, eyes: Eyes) -> None:
    receive_orders(edge, _orders(tenant, 3))
    answers = [
        Envelope(
            id=str(uuid7()),
            source="bff",
            type=ACKNOWLEDGED,
            subject="key",
            time=MOMENT,
            tenant=tenant,
            attemptid="att_" + "1" * 32,
            data={"message_id": str(row["id"])},
        )
        for row in eyes.rows("SELECT id FROM outbox")
    ]

    receive_acknowledgements(edge, [answer.model_dump(mode="json") for answer in answers])

    assert {row["state"] for row in eyes.rows("SELECT state FROM outbox")} == {"ACKNOWLEDGED"}
