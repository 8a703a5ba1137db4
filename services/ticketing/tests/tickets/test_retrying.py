from datetime import timedelta

import pytest

from ticketing.tickets.helpdesk import Guarantee, TryOutcome
from ticketing.tickets.retrying import MAX_TRIES, Decision, Situation, Step, decide, next_step
from ticketing.tickets.ticket import OpenQuestion, TicketState

pytestmark = pytest.mark.unit

LAG = timedelta(minutes=10)
NATIVE = Guarantee("native_key")
STRONG = Guarantee("strong_lookup")
BUSY = Guarantee("strong_lookup", lag=timedelta(minutes=2))
LAGGING = Guarantee("lagging_lookup", lag=LAG)
DOUBTING = Guarantee("lagging_lookup", lag=LAG, believes_absence=False)
FORGETFUL = Guarantee("native_key", lag=timedelta(minutes=5), key_lives=timedelta(hours=2))

CREATED = Decision(TicketState.CREATED)
ATTENTION = Decision(TicketState.NEEDS_ATTENTION)
OPEN_ATTENTION = Decision(TicketState.NEEDS_ATTENTION, is_open=True)


def _open(*, minutes: float = 1, quiet: float = 0) -> OpenQuestion:
    return OpenQuestion(open_for=timedelta(minutes=minutes), quiet_for=timedelta(minutes=quiet))


def _retry(seconds: float) -> Decision:
    return Decision(TicketState.RETRYING, timedelta(seconds=seconds))


def _unknown(seconds: float) -> Decision:
    return Decision(TicketState.OUTCOME_UNKNOWN, timedelta(seconds=seconds), is_open=True)


@pytest.mark.parametrize(
    ("outcome", "step", "tries", "absences", "guarantee", "question", "expected"),
    [
        (TryOutcome.CREATED, "create", 1, 0, NATIVE, None, CREATED),
        (TryOutcome.CREATED, "look_up", MAX_TRIES, 0, LAGGING, _open(), CREATED),
        (TryOutcome.CONFLICT, "create", 1, 0, NATIVE, None, Decision(TicketState.CONFLICT)),
        (TryOutcome.REFUSED, "create", 1, 0, NATIVE, None, ATTENTION),
        (TryOutcome.REFUSED, "look_up", 2, 0, STRONG, _open(), OPEN_ATTENTION),
        (TryOutcome.NOT_CREATED, "create", 1, 0, NATIVE, None, _retry(1)),
        (TryOutcome.NOT_CREATED, "create", 2, 0, NATIVE, None, _retry(2)),
        (TryOutcome.NOT_CREATED, "create", 5, 0, NATIVE, None, _retry(16)),
        (TryOutcome.NOT_CREATED, "create", 11, 0, NATIVE, None, _retry(150)),
        (TryOutcome.NOT_CREATED, "create", MAX_TRIES, 0, NATIVE, None, ATTENTION),
        (TryOutcome.NOT_CREATED, "create", 2, 0, NATIVE, _open(), _unknown(2)),
        (TryOutcome.UNKNOWN, "create", 1, 0, NATIVE, None, _unknown(1)),
        (TryOutcome.UNKNOWN, "create", 1, 0, STRONG, None, _unknown(1)),
        (TryOutcome.UNKNOWN, "create", 1, 0, BUSY, None, _unknown(120)),
        (TryOutcome.UNKNOWN, "create", 1, 0, LAGGING, None, _unknown(600)),
        (TryOutcome.UNKNOWN, "wait", 2, 0, LAGGING, _open(quiet=4), _unknown(360)),
        (TryOutcome.UNKNOWN, "look_up", 3, 0, LAGGING, _open(quiet=11), _unknown(4)),
        (TryOutcome.UNKNOWN, "create", 2, 0, FORGETFUL, _open(minutes=100), _unknown(2)),
        (TryOutcome.UNKNOWN, "look_up", 2, 0, FORGETFUL, _open(minutes=121, quiet=6), _unknown(2)),
        (TryOutcome.UNKNOWN, "create", MAX_TRIES, 0, STRONG, None, OPEN_ATTENTION),
        (TryOutcome.ABSENT, "look_up", 2, 1, STRONG, _open(), _retry(2)),
        (TryOutcome.ABSENT, "look_up", 4, 2, STRONG, _open(), _retry(8)),
        (TryOutcome.ABSENT, "look_up", 2, 1, LAGGING, _open(quiet=11), _retry(2)),
        (TryOutcome.ABSENT, "look_up", 4, 2, LAGGING, _open(quiet=11), OPEN_ATTENTION),
        (TryOutcome.ABSENT, "look_up", 2, 1, DOUBTING, _open(quiet=11), OPEN_ATTENTION),
        (TryOutcome.ABSENT, "look_up", 2, 2, FORGETFUL, _open(minutes=121, quiet=6), OPEN_ATTENTION),
    ],
)
def test_what_follows_a_try(
    outcome: TryOutcome,
    step: Step,
    tries: int,
    absences: int,
    guarantee: Guarantee,
    question: OpenQuestion | None,
    expected: Decision,
) -> None:
    situation = Situation(
        step=step, outcome=outcome, tries=tries, absences=absences, guarantee=guarantee, question=question
    )

    assert decide(situation, spread=0.0) == expected


def _refused_for_now(*, retry_after: timedelta | None = None) -> Situation:
    return Situation(
        step="create",
        outcome=TryOutcome.NOT_CREATED,
        tries=1,
        absences=0,
        guarantee=NATIVE,
        retry_after=retry_after,
    )


def test_a_helpdesk_that_asks_for_more_patience_gets_it() -> None:
    decision = decide(_refused_for_now(retry_after=timedelta(minutes=7)), spread=1.0)

    assert decision == Decision(TicketState.RETRYING, timedelta(minutes=7))


def test_spread_doubles_the_shortest_wait_at_most() -> None:
    assert decide(_refused_for_now(), spread=1.0).wait == timedelta(seconds=2)


@pytest.mark.parametrize(
    ("question", "guarantee", "step"),
    [
        (None, NATIVE, "create"),
        (None, LAGGING, "create"),
        (_open(), NATIVE, "create"),
        (_open(minutes=10_000), NATIVE, "create"),
        (_open(), STRONG, "look_up"),
        (_open(quiet=1), BUSY, "wait"),
        (_open(quiet=2), BUSY, "look_up"),
        (_open(quiet=9), LAGGING, "wait"),
        (_open(quiet=10), LAGGING, "look_up"),
        (_open(minutes=119), FORGETFUL, "create"),
        (_open(minutes=120, quiet=4), FORGETFUL, "wait"),
        (_open(minutes=120, quiet=5), FORGETFUL, "look_up"),
    ],
)
def test_what_is_done_with_a_ticket_that_is_taken_up(
    question: OpenQuestion | None, guarantee: Guarantee, step: str
) -> None:
    assert next_step(question, guarantee) == step
