"""Decide what is done with a ticket and what follows a try: never two tickets is preferred to never late."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal

from ticketing.tickets.helpdesk import Guarantee, TryOutcome, guarantee_after
from ticketing.tickets.ticket import OpenQuestion, TicketState

Step = Literal["create", "look_up", "wait"]

# Twelve tries with waits doubling from two seconds to five minutes span about half an hour; then a person looks.
MAX_TRIES: Final = 12
_FIRST_WAIT: Final = timedelta(seconds=2)
_LONGEST_WAIT: Final = timedelta(minutes=5)
_NOTHING: Final = timedelta(0)


@dataclass(frozen=True, slots=True)
class Decision:
    """The next state of a ticket, and after which wait somebody takes it up; None when nobody does.

    `is_open` says that a create may have happened which nobody has seen.
    """

    state: TicketState
    wait: timedelta | None = None
    is_open: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Everything the policy knows: the try, what the helpdesk promises, and what earlier tries left open.

    `tries` and `absences` count earlier tries and this one.
    """

    step: Step
    outcome: TryOutcome
    tries: int
    absences: int
    guarantee: Guarantee
    question: OpenQuestion | None = None
    retry_after: timedelta | None = None
    is_erased: bool = False


def next_step(question: OpenQuestion | None, declared: Guarantee, *, is_erased: bool = False) -> Step:
    """Choose what to do with a ticket.

    With nothing open it is created. After a lost reply a native key may be repeated as long as it lives; a lookup is asked
    once no request can be under way and its index has had time to follow. What is erased is never created.
    """
    if question is None:
        return "create"
    guarantee = guarantee_after(declared, question.open_for)
    if guarantee.kind == "native_key" and not is_erased:
        return "create"
    return "look_up" if question.quiet_for >= guarantee.lag else "wait"


def decide(situation: Situation, *, spread: float) -> Decision:
    """Decide what follows a try. `spread` from 0 to 1 keeps retries from coming in step."""
    wait = max(_backoff(situation.tries, spread), situation.retry_after or _NOTHING)
    match situation.outcome:
        case TryOutcome.CREATED:
            decision = Decision(TicketState.CREATED)
        case TryOutcome.CONFLICT:
            decision = Decision(TicketState.CONFLICT)
        case TryOutcome.REFUSED:
            decision = give_up(situation.question)
        case TryOutcome.ABSENT:
            decision = _after_absence(situation, wait)
        case TryOutcome.UNKNOWN:
            decision = _still_open(max(wait, _unbelievable_for(situation)))
        case TryOutcome.NOT_CREATED:
            # What this try certainly did not create, an earlier one may have.
            decision = _still_open(wait) if situation.question else Decision(TicketState.RETRYING, wait)
    return _unless_spent(situation, decision)


def give_up(question: OpenQuestion | None) -> Decision:
    """Decide about a ticket whose tries are spent, before one more is made."""
    return Decision(TicketState.NEEDS_ATTENTION, is_open=question is not None)


def _after_absence(situation: Situation, wait: timedelta) -> Decision:
    guarantee = _guarantee(situation)
    is_doubtful = guarantee.kind == "lagging_lookup" and (situation.absences > 1 or not guarantee.believes_absence)
    if is_doubtful:
        return Decision(TicketState.NEEDS_ATTENTION, is_open=True)
    # There is nothing left to say in a ticket of an erased attempt: that there is none settles it.
    return Decision(TicketState.RETRYING, None if situation.is_erased else wait)


def _unbelievable_for(situation: Situation) -> timedelta:
    """Give the time in which a lookup would not be believed; a native key does not need one."""
    guarantee = _guarantee(situation)
    if guarantee.kind == "native_key" and not situation.is_erased:
        return _NOTHING
    if situation.step == "create" or situation.question is None:
        return guarantee.lag
    return max(guarantee.lag - situation.question.quiet_for, _NOTHING)


def _guarantee(situation: Situation) -> Guarantee:
    open_for = situation.question.open_for if situation.question else _NOTHING
    return guarantee_after(situation.guarantee, open_for)


def _still_open(wait: timedelta) -> Decision:
    return Decision(TicketState.OUTCOME_UNKNOWN, wait, is_open=True)


def _unless_spent(situation: Situation, decision: Decision) -> Decision:
    if decision.wait is None or situation.tries < MAX_TRIES:
        return decision
    return Decision(TicketState.NEEDS_ATTENTION, is_open=decision.is_open)


def _backoff(tries: int, spread: float) -> timedelta:
    doubled = _FIRST_WAIT * 2 ** min(max(tries - 1, 0), MAX_TRIES)
    return min(doubled, _LONGEST_WAIT) * (0.5 + 0.5 * spread)
