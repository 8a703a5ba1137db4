"""A helpdesk that hangs takes its share of the threads and no more: whoever has nothing to do with it does not wait."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from queue import SimpleQueue

import pytest

from services.ticketing.tests.conftest import Eyes, LookAt
from services.ticketing.tests.fakes import ScriptedHelpdesk, message, only, order
from ticketing.tasks.acting import resume
from ticketing.tasks.edge import Edge
from ticketing.tasks.places import Places, places_among
from ticketing.tasks.receiving import receive_order
from ticketing.tickets.helpdesk import Helpdesk, Limits, OutcomeUnknownError

THREADS = 8
ORDERS = 40


@pytest.mark.unit
def test_places_are_few_in_all_and_fewer_at_one_helpdesk_and_nobody_waits_for_one() -> None:
    places = places_among(THREADS)

    with ExitStack() as held:
        taken = [held.enter_context(places.at(name)) for name in ("acme", "acme", "acme", "other", "third", "fourth")]
        assert taken == [True, True, False, True, True, False]
    with places.at("acme") as again:
        assert again


@pytest.mark.unit
def test_a_place_is_given_back_when_the_call_fails() -> None:
    places = Places(most=1, most_at_one=1)

    with pytest.raises(KeyError), places.at("acme"):
        raise KeyError

    with places.at("acme") as has_place:
        assert has_place


@pytest.mark.unit
@pytest.mark.parametrize(("threads", "expected"), [(1, [False, False]), (2, [True, False]), (16, [True, True])])
def test_half_of_the_threads_stay_free_however_few_there_are(threads: int, expected: list[bool]) -> None:
    places = places_among(threads)

    with places.at("acme") as first, places.at("acme") as second:
        assert [first, second] == expected


@pytest.fixture
def hanging() -> tuple[ScriptedHelpdesk, threading.Event]:
    """Give a helpdesk that answers nobody before the event is set."""
    go_on = threading.Event()

    def hang() -> None:
        assert go_on.wait(60)

    return ScriptedHelpdesk(name="acme", limits=Limits(most_at_once=64), before=hang), go_on


@pytest.mark.store
def test_orders_of_others_wait_for_no_helpdesk_that_hangs(
    edge: Edge, tenant: str, eyes: Eyes, look_at: LookAt, hanging: tuple[ScriptedHelpdesk, threading.Event]
) -> None:
    helpdesk, go_on = hanging
    beside = f"{tenant}-beside"
    edge = replace(edge, choose=_chosen(edge, tenant, helpdesk), places=places_among(THREADS))
    ended: SimpleQueue[Future[None]] = SimpleQueue()
    stuck = [message(order(tenant, ticket_key=f"key-{number}")) for number in range(ORDERS)]

    with ThreadPoolExecutor(THREADS) as worker:
        calls = [worker.submit(receive_order, edge, body) for body in stuck]
        for call in calls:
            call.add_done_callback(ended.put)
        worker.submit(receive_order, edge, message(order(beside))).result(60)
        handled = look_at(beside).ticket()["state"]
        for _ in range(ORDERS - THREADS // 4):
            ended.get(timeout=60)
        stuck_calls = sum(not call.done() for call in calls)
        go_on.set()

    assert handled == "CREATED"
    assert stuck_calls == THREADS // 4
    assert len(eyes.rows("SELECT id FROM ticket WHERE state = 'RECEIVED'")) == ORDERS - THREADS // 4
    assert eyes.rows("SELECT id FROM ticket WHERE state = 'RECEIVED' AND due_at > now() + interval '5 seconds'") == []


@pytest.mark.store
def test_what_found_no_place_is_created_when_it_comes_due(
    edge: Edge, tenant: str, eyes: Eyes, hanging: tuple[ScriptedHelpdesk, threading.Event]
) -> None:
    helpdesk, go_on = hanging
    go_on.set()
    full = replace(edge, choose=only(helpdesk), places=Places(most=0, most_at_one=0))
    receive_order(full, message(order(tenant)))
    eyes.pass_time(5)

    resume(replace(full, places=edge.places), tenant=tenant, ticket_id=eyes.ticket()["id"])

    assert eyes.ticket()["state"] == "CREATED"
    assert len(eyes.rows("SELECT id FROM ticket_try")) == 1


@pytest.mark.store
def test_without_a_place_no_try_is_spent_and_an_open_question_stays_open(
    edge: Edge, tenant: str, eyes: Eyes, hanging: tuple[ScriptedHelpdesk, threading.Event]
) -> None:
    helpdesk, go_on = hanging
    go_on.set()
    helpdesk.errors = [OutcomeUnknownError()]
    receive_order(replace(edge, choose=only(helpdesk)), message(order(tenant)))
    eyes.run("UPDATE ticket SET state = 'CREATING'")
    full = replace(edge, choose=only(helpdesk), places=Places(most=0, most_at_one=0))

    for _ in range(20):
        eyes.come_due()
        assert not resume(full, tenant=tenant, ticket_id=eyes.ticket()["id"])

    row = eyes.ticket()
    assert (row["state"], row["open_since"] is not None, row["fence"]) == ("OUTCOME_UNKNOWN", True, 1)


def _chosen(edge: Edge, tenant: str, helpdesk: Helpdesk) -> Callable[[str, str | None], Helpdesk]:
    def choose(whose: str, tried: str | None) -> Helpdesk:
        return helpdesk if whose == tenant else edge.choose(whose, tried)

    return choose
