import threading
import time
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from contracts.ids import uuid7
from runtime.database import SyncDatabase
from services.ticketing.tests.conftest import Eyes
from services.ticketing.tests.fakes import MOMENT, ScriptedHelpdesk, WorkerKilled, message, only, order
from ticketing.adapters.ledger import PostgresLedger
from ticketing.tasks.acting import resume
from ticketing.tasks.edge import Edge
from ticketing.tasks.receiving import receive_order
from ticketing.tickets.creating import Chance
from ticketing.tickets.helpdesk import (
    Guarantee,
    HelpdeskError,
    KeyTakenError,
    Limits,
    NotCreatedError,
    OutcomeUnknownError,
    RefusedError,
)
from ticketing.tickets.retrying import MAX_TRIES
from ticketing.tickets.steps import Steps
from ticketing.tickets.store import ledger, telling

pytestmark = pytest.mark.store


def _stamp() -> telling.Stamp:
    return telling.Stamp(now=MOMENT, message_id=uuid7())


def _start(edge: Edge, tenant: str, helpdesk: ScriptedHelpdesk) -> tuple[Edge, UUID]:
    edge = replace(edge, choose=only(helpdesk))
    receive_order(edge, message(order(tenant)))
    with edge.database.transaction(tenant) as connection:
        ticket_id = ledger.receive(connection, order(tenant), data={}, ticket_id=uuid7()).ticket_id
    return edge, ticket_id


def test_a_helpdesk_that_is_down_delays_the_ticket_and_a_due_retry_creates_it(
    edge: Edge, tenant: str, eyes: Eyes
) -> None:
    edge, ticket_id = _start(edge, tenant, ScriptedHelpdesk(errors=[NotCreatedError()]))
    assert eyes.ticket()["state"] == "RETRYING"
    eyes.come_due()

    acted = resume(edge, tenant=tenant, ticket_id=ticket_id)

    assert acted
    assert eyes.told() == [("DELAYED", 1, None), ("TICKET_CREATED", 2, "S-7")]


def test_a_ticket_that_is_not_due_is_left_alone(edge: Edge, tenant: str, eyes: Eyes) -> None:
    edge, ticket_id = _start(edge, tenant, ScriptedHelpdesk(errors=[NotCreatedError(retry_after=timedelta(hours=1))]))

    acted = resume(edge, tenant=tenant, ticket_id=ticket_id)

    assert not acted
    assert len(eyes.rows("SELECT id FROM ticket_try")) == 1


def test_a_lost_reply_of_a_native_key_is_repeated_into_the_first_ticket(edge: Edge, tenant: str, eyes: Eyes) -> None:
    helpdesk = ScriptedHelpdesk(errors=[OutcomeUnknownError()])
    edge, ticket_id = _start(edge, tenant, helpdesk)
    assert eyes.ticket()["state"] == "OUTCOME_UNKNOWN"
    eyes.come_due()

    resume(edge, tenant=tenant, ticket_id=ticket_id)

    assert helpdesk.created == ["key-1"]
    assert eyes.ticket()["state"] == "CREATED"


def test_a_lost_reply_of_a_helpdesk_without_native_key_is_looked_up(edge: Edge, tenant: str, eyes: Eyes) -> None:
    helpdesk = ScriptedHelpdesk(guarantee=Guarantee("strong_lookup"), errors=[OutcomeUnknownError()])
    edge, ticket_id = _start(edge, tenant, helpdesk)
    eyes.come_due()

    resume(edge, tenant=tenant, ticket_id=ticket_id)

    assert (helpdesk.created, helpdesk.lookups) == (["key-1"], 1)
    assert eyes.ticket()["state"] == "CREATED"


def test_a_lookup_is_not_asked_before_its_bound(edge: Edge, tenant: str, eyes: Eyes) -> None:
    guarantee = Guarantee("lagging_lookup", lag=timedelta(minutes=1))
    helpdesk = ScriptedHelpdesk(guarantee=guarantee, errors=[OutcomeUnknownError()])
    edge, ticket_id = _start(edge, tenant, helpdesk)
    eyes.come_due()

    resume(edge, tenant=tenant, ticket_id=ticket_id)

    assert (helpdesk.created, helpdesk.lookups) == (["key-1"], 0)
    assert eyes.ticket()["state"] == "OUTCOME_UNKNOWN"


@pytest.mark.parametrize("error", [NotCreatedError(), OutcomeUnknownError()])
def test_a_lookup_that_fails_creates_nothing(edge: Edge, tenant: str, eyes: Eyes, error: HelpdeskError) -> None:
    class Unasked(ScriptedHelpdesk):
        def find_by_key(self, *, tenant: str, ticket_key: str) -> None:
            del tenant, ticket_key
            raise error

    helpdesk = Unasked(guarantee=Guarantee("strong_lookup"), errors=[OutcomeUnknownError()])
    edge, ticket_id = _start(edge, tenant, helpdesk)

    for _ in range(3):
        eyes.come_due()
        resume(edge, tenant=tenant, ticket_id=ticket_id)

    assert helpdesk.created == ["key-1"]
    assert eyes.ticket()["state"] == "OUTCOME_UNKNOWN"


def test_a_bug_of_an_adapter_is_recorded_and_leaves_the_question_open(edge: Edge, tenant: str, eyes: Eyes) -> None:
    def break_down() -> None:
        raise KeyError

    _start(edge, tenant, ScriptedHelpdesk(before=break_down))

    assert eyes.ticket()["state"] == "OUTCOME_UNKNOWN"
    assert eyes.rows("SELECT detail FROM ticket_try") == [{"detail": "The adapter failed: KeyError."}]


def test_a_ticket_whose_workers_keep_vanishing_is_left_to_a_person(edge: Edge, tenant: str, eyes: Eyes) -> None:
    def kill() -> None:
        raise WorkerKilled

    helpdesk = ScriptedHelpdesk(before=kill)
    with pytest.raises(WorkerKilled):
        _start(edge, tenant, helpdesk)
    (row,) = eyes.rows("SELECT id FROM ticket")
    for _ in range(MAX_TRIES - 1):
        eyes.come_due()
        with pytest.raises(WorkerKilled):
            resume(replace(edge, choose=only(helpdesk)), tenant=tenant, ticket_id=row["id"])
    eyes.come_due()

    resume(replace(edge, choose=only(helpdesk)), tenant=tenant, ticket_id=row["id"])

    assert eyes.ticket()["state"] == "NEEDS_ATTENTION"


def test_a_worker_that_stood_still_does_not_call_the_helpdesk(edge: Edge, tenant: str, eyes: Eyes) -> None:
    helpdesk = ScriptedHelpdesk()
    seconds = iter((0.0, 21.0))
    stopped = Chance(spread=lambda: 0.0, stopwatch=lambda: next(seconds))

    _start(replace(edge, chance=stopped), tenant, helpdesk)

    assert helpdesk.created == []
    assert eyes.ticket()["state"] == "RETRYING"
    assert eyes.rows("SELECT error_class, latency_ms FROM ticket_try") == [
        {"error_class": "StartedTooLate", "latency_ms": None}
    ]


def test_a_helpdesk_that_keeps_failing_is_left_alone_and_asked_once_after_its_rest(
    edge: Edge, tenant: str, eyes: Eyes
) -> None:
    helpdesk = ScriptedHelpdesk(limits=Limits(failures_to_open=2), errors=[NotCreatedError(), NotCreatedError()])
    edge, ticket_id = _start(edge, tenant, helpdesk)
    eyes.come_due()
    resume(edge, tenant=tenant, ticket_id=ticket_id)
    eyes.come_due()

    rested = resume(edge, tenant=tenant, ticket_id=ticket_id)
    eyes.pass_time(60)
    probed = resume(edge, tenant=tenant, ticket_id=ticket_id)

    assert (rested, probed) == (False, True)
    assert eyes.ticket()["state"] == "CREATED"
    assert eyes.rows("SELECT failures FROM helpdesk_gate") == [{"failures": 0}]


def test_a_helpdesk_is_asked_by_no_more_at_once_than_its_limit(edge: Edge, tenant: str, eyes: Eyes) -> None:
    helpdesk = ScriptedHelpdesk(limits=Limits(most_at_once=1))

    def another() -> None:
        helpdesk.after = lambda: None
        receive_order(replace(edge, choose=only(helpdesk)), message(order(tenant, ticket_key="key-2")))

    helpdesk.after = another

    _start(edge, tenant, helpdesk)

    rows = eyes.rows("SELECT ticket_key, state FROM ticket ORDER BY ticket_key")
    assert [tuple(row.values()) for row in rows] == [("key-1", "CREATED"), ("key-2", "RECEIVED")]


def test_a_lagging_lookup_is_believed_once_and_then_a_person_looks(edge: Edge, tenant: str, eyes: Eyes) -> None:
    class Forgetful(ScriptedHelpdesk):
        def find_by_key(self, *, tenant: str, ticket_key: str) -> None:
            super().find_by_key(tenant=tenant, ticket_key=ticket_key)

    helpdesk = Forgetful(
        guarantee=Guarantee("lagging_lookup", lag=timedelta(minutes=1)),
        errors=[OutcomeUnknownError(), OutcomeUnknownError()],
    )
    edge, ticket_id = _start(edge, tenant, helpdesk)

    for _ in range(3):
        eyes.pass_time(61)
        resume(edge, tenant=tenant, ticket_id=ticket_id)

    assert (len(helpdesk.created), helpdesk.lookups) == (2, 2)
    assert eyes.ticket()["state"] == "NEEDS_ATTENTION"


@pytest.mark.parametrize(("error", "state"), [(RefusedError(), "NEEDS_ATTENTION"), (KeyTakenError(), "CONFLICT")])
def test_what_trying_again_cannot_heal_ends_the_tries(
    edge: Edge, tenant: str, eyes: Eyes, error: RefusedError | KeyTakenError, state: str
) -> None:
    edge, ticket_id = _start(edge, tenant, ScriptedHelpdesk(errors=[error]))
    eyes.come_due()

    acted = resume(edge, tenant=tenant, ticket_id=ticket_id)

    assert not acted
    assert eyes.ticket()["state"] == state
    assert eyes.told() == [("DELAYED", 1, None)]


def test_every_try_is_recorded(edge: Edge, tenant: str, eyes: Eyes) -> None:
    edge, ticket_id = _start(edge, tenant, ScriptedHelpdesk(errors=[NotCreatedError(), OutcomeUnknownError()]))
    for _ in range(2):
        eyes.come_due()
        resume(edge, tenant=tenant, ticket_id=ticket_id)

    tries = eyes.rows("SELECT outcome, error_class, external_id FROM ticket_try ORDER BY fence")

    assert [tuple(row.values()) for row in tries] == [
        ("NOT_CREATED", "NotCreatedError", None),
        ("UNKNOWN", "OutcomeUnknownError", None),
        ("CREATED", None, "7"),
    ]


def test_whoever_lost_the_lease_records_the_try_and_nothing_else(edge: Edge, tenant: str, eyes: Eyes) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def pause() -> None:
        inside.set()
        assert go_on.wait(30)

    late = ScriptedHelpdesk(after=pause)
    slow = threading.Thread(target=receive_order, args=(replace(edge, choose=only(late)), message(order(tenant))))
    slow.start()
    assert inside.wait(30)
    eyes.come_due()
    receive_order(edge, message(order(tenant)))

    go_on.set()
    slow.join(30)

    assert (eyes.ticket()["helpdesk"], eyes.ticket()["fence"]) == ("desk", 2)
    assert eyes.told() == [("TICKET_CREATED", 1, "T-1001")]
    assert [row["outcome"] for row in eyes.rows("SELECT outcome FROM ticket_try ORDER BY fence")] == [
        "CREATED",
        "CREATED",
    ]


@pytest.mark.parametrize(("machine", "lookups"), [("here", 0), ("elsewhere", 1)])
def test_a_process_that_starts_after_the_clock_was_set_forward_knows_how_long_a_try_of_its_machine_is_ago(
    edge: Edge, tenant: str, eyes: Eyes, *, machine: str, lookups: int
) -> None:
    guarantee = Guarantee("strong_lookup", lag=timedelta(minutes=5))
    helpdesk = ScriptedHelpdesk(guarantee=guarantee, errors=[OutcomeUnknownError()])
    _start(edge, tenant, helpdesk)

    eyes.set_clock(600)
    new = replace(edge, choose=only(helpdesk), steps=Steps(time.monotonic, machine=machine))
    resume(new, tenant=tenant, ticket_id=eyes.ticket()["id"])

    assert helpdesk.lookups == lookups


@pytest.mark.parametrize(("machine", "creates"), [("here", 1), ("elsewhere", 2)])
def test_a_process_that_starts_after_the_clock_was_set_back_repeats_no_key_of_its_machine_that_is_forgotten(
    edge: Edge, tenant: str, eyes: Eyes, *, machine: str, creates: int
) -> None:
    heard: list[object] = []
    guarantee = Guarantee("native_key", key_lives=timedelta(hours=2))
    helpdesk = ScriptedHelpdesk(guarantee=guarantee, errors=[OutcomeUnknownError()], hear=heard.append)
    _start(edge, tenant, helpdesk)

    eyes.pass_time(2.5 * 3600)
    eyes.set_clock(-3 * 3600)
    eyes.come_due()
    new = replace(edge, choose=only(helpdesk), steps=Steps(time.monotonic, machine=machine))
    resume(new, tenant=tenant, ticket_id=eyes.ticket()["id"])

    assert len(heard) == creates


def test_two_workers_cannot_hold_one_ticket(database: SyncDatabase, tenant: str) -> None:
    steps = Steps(lambda: 0.0, machine="here")
    kept = PostgresLedger(database, tenant=tenant, clock=lambda: MOMENT, new_id=uuid7, steps=steps)
    ticket_id = uuid7()
    with database.transaction(tenant) as connection:
        data = order(tenant).model_dump(mode="json")
        ledger.receive(connection, order(tenant), data=data, ticket_id=ticket_id)

    first = kept.take_up(ticket_id, helpdesk=ScriptedHelpdesk())
    second = kept.take_up(ticket_id, helpdesk=ScriptedHelpdesk())

    assert first is not None
    assert second is None


def test_a_person_who_solves_before_the_creation_is_recorded_is_not_overruled(
    edge: Edge, tenant: str, eyes: Eyes
) -> None:
    def solve() -> None:
        with edge.database.transaction(tenant) as connection:
            telling.report_status(connection, "key-1", telling.News(status="SOLVED"), _stamp())

    _start(edge, tenant, ScriptedHelpdesk(after=solve))

    assert eyes.told() == [("SOLVED", 1, None), ("SOLVED", 2, "S-7")]


def test_a_status_that_arrives_late_changes_nothing(edge: Edge, tenant: str, eyes: Eyes) -> None:
    _start(edge, tenant, ScriptedHelpdesk())

    for status in ("SOLVED", "IN_PROGRESS", "SOLVED"):
        with edge.database.transaction(tenant) as connection:
            telling.report_status(connection, "key-1", telling.News(status=status), _stamp())

    assert eyes.told() == [("TICKET_CREATED", 1, "S-7"), ("SOLVED", 2, "S-7")]
