from datetime import timedelta

import pytest

from ticketing.tickets.helpdesk import Guarantee, TryOutcome
from ticketing.tickets.retrying import MAX_TRIES, Decision, decide, next_step
from ticketing.tickets.ticket import TicketState

pytestmark = pytest.mark.unit

NATIVE = Guarantee("native_key")
STRONG = Guarantee("strong_lookup")
LAGGING = Guarantee("lagging_lookup", lag=timedelta(minutes=10))


@pytest.mark.parametrize(
    ("outcome", "tries", "absences", "guarantee", "expected"),
    [
        (TryOutcome.CREATED, 1, 0, NATIVE, Decision(TicketState.CREATED)),
        (TryOutcome.CREATED, MAX_TRIES, 0, LAGGING, Decision(TicketState.CREATED)),
        (TryOutcome.CONFLICT, 1, 0, NATIVE, Decision(TicketState.CONFLICT)),
        (TryOutcome.REFUSED, 1, 0, NATIVE, Decision(TicketState.NEEDS_ATTENTION)),
        (TryOutcome.NOT_CREATED, 1, 0, NATIVE, Decision(TicketState.RETRYING, timedelta(seconds=1))),
        (TryOutcome.NOT_CREATED, 2, 0, NATIVE, Decision(TicketState.RETRYING, timedelta(seconds=2))),
        (TryOutcome.NOT_CREATED, 5, 0, NATIVE, Decision(TicketState.RETRYING, timedelta(seconds=16))),
        (TryOutcome.NOT_CREATED, 11, 0, NATIVE, Decision(TicketState.RETRYING, timedelta(seconds=150))),
        (TryOutcome.NOT_CREATED, MAX_TRIES, 0, NATIVE, Decision(TicketState.NEEDS_ATTENTION)),
        (TryOutcome.UNKNOWN, 1, 0, NATIVE, Decision(TicketState.OUTCOME_UNKNOWN, timedelta(seconds=1))),
        (TryOutcome.UNKNOWN, 1, 0, STRONG, Decision(TicketState.OUTCOME_UNKNOWN, timedelta(seconds=1))),
        (TryOutcome.UNKNOWN, 1, 0, LAGGING, Decision(TicketState.OUTCOME_UNKNOWN, timedelta(minutes=10))),
        (TryOutcome.UNKNOWN, MAX_TRIES, 0, STRONG, Decision(TicketState.NEEDS_ATTENTION)),
        (TryOutcome.ABSENT, 2, 1, STRONG, Decision(TicketState.RETRYING, timedelta(seconds=2))),
        (TryOutcome.ABSENT, 4, 2, STRONG, Decision(TicketState.RETRYING, timedelta(seconds=8))),
        (TryOutcome.ABSENT, 2, 1, LAGGING, Decision(TicketState.RETRYING, timedelta(seconds=2))),
        (TryOutcome.ABSENT, 4, 2, LAGGING, Decision(TicketState.NEEDS_ATTENTION)),
    ],
)
def test_what_follows_a_try(
    outcome: TryOutcome, tries: int, absences: int, guarantee: Guarantee, expected: Decision
) -> None:
    decision = decide(outcome, tries=tries, absences=absences, guarantee=guarantee, retry_after=None, spread=0.0)

    assert decision == expected


def test_a_helpdesk_that_asks_for_more_patience_gets_it() -> None:
    decision = decide(
        TryOutcome.NOT_CREATED,
        tries=1,
        absences=0,
        guarantee=NATIVE,
        retry_after=timedelta(minutes=7),
        spread=1.0,
    )

    assert decision == Decision(TicketState.RETRYING, timedelta(minutes=7))


def test_spread_doubles_the_shortest_wait_at_most() -> None:
    decision = decide(TryOutcome.NOT_CREATED, tries=1, absences=0, guarantee=NATIVE, retry_after=None, spread=1.0)

    assert decision.wait == timedelta(seconds=2)


@pytest.mark.parametrize(
    ("found", "guarantee", "step"),
    [
        (TicketState.RECEIVED, NATIVE, "create"),
        (TicketState.RECEIVED, LAGGING, "create"),
        (TicketState.RETRYING, STRONG, "create"),
        (TicketState.OUTCOME_UNKNOWN, NATIVE, "create"),
        (TicketState.OUTCOME_UNKNOWN, STRONG, "look_up"),
        (TicketState.OUTCOME_UNKNOWN, LAGGING, "look_up"),
        (TicketState.CREATING, NATIVE, "create"),
        (TicketState.CREATING, STRONG, "look_up"),
        (TicketState.CREATING, LAGGING, "wait"),
    ],
)
def test_what_is_done_with_a_ticket_that_is_taken_up(found: TicketState, guarantee: Guarantee, step: str) -> None:
    assert next_step(found, guarantee) == step
