"""Decide what follows a try: never two tickets is preferred to never late."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal

from ticketing.tickets.helpdesk import Guarantee, TryOutcome
from ticketing.tickets.ticket import TicketState

Step = Literal["create", "look_up", "wait"]

# Twelve tries with waits doubling from two seconds to five minutes span about half an hour; then a person looks.
MAX_TRIES: Final = 12
_FIRST_WAIT: Final = timedelta(seconds=2)
_LONGEST_WAIT: Final = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Decision:
    """The next state of a ticket, and after which wait somebody takes it up; None when nobody does."""

    state: TicketState
    wait: timedelta | None = None


def next_step(found: TicketState, guarantee: Guarantee) -> Step:
    """Choose what to do with a ticket found in a state.

    After a lost reply a native key may be repeated, a strong lookup asked; a lagging one only once its bound is over,
    which is certain for OUTCOME_UNKNOWN (it waited) and uncertain for a ticket whose holder vanished.
    """
    if found in {TicketState.RECEIVED, TicketState.RETRYING} or guarantee.kind == "native_key":
        return "create"
    if found is TicketState.CREATING and guarantee.kind == "lagging_lookup":
        return "wait"
    return "look_up"


def decide(  # noqa: PLR0913 - the policy is one function of everything that is known
    outcome: TryOutcome,
    *,
    tries: int,
    absences: int,
    guarantee: Guarantee,
    retry_after: timedelta | None,
    spread: float,
) -> Decision:
    """Decide what follows a try.

    `tries` and `absences` count earlier tries and this one; `spread` from 0 to 1 keeps retries from coming in step.
    """
    wait = max(_backoff(tries, spread), retry_after or timedelta(0))
    match outcome:
        case TryOutcome.CREATED:
            return Decision(TicketState.CREATED)
        case TryOutcome.CONFLICT:
            return Decision(TicketState.CONFLICT)
        case TryOutcome.REFUSED:
            return Decision(TicketState.NEEDS_ATTENTION)
        case TryOutcome.UNKNOWN:
            return _unless_exhausted(tries, Decision(TicketState.OUTCOME_UNKNOWN, max(wait, guarantee.lag)))
        case TryOutcome.ABSENT if guarantee.kind == "lagging_lookup" and absences > 1:
            return Decision(TicketState.NEEDS_ATTENTION)
        case TryOutcome.ABSENT | TryOutcome.NOT_CREATED:
            return _unless_exhausted(tries, Decision(TicketState.RETRYING, wait))


def _unless_exhausted(tries: int, decision: Decision) -> Decision:
    return decision if tries < MAX_TRIES else Decision(TicketState.NEEDS_ATTENTION)


def _backoff(tries: int, spread: float) -> timedelta:
    doubled = _FIRST_WAIT * 2 ** min(max(tries - 1, 0), MAX_TRIES)
    return min(doubled, _LONGEST_WAIT) * (0.5 + 0.5 * spread)
