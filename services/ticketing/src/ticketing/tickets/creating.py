"""Turn one received escalation into one ticket: take it up, try once, record what came of it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Protocol
from uuid import UUID

from ticketing.tickets.helpdesk import Helpdesk, HelpdeskError, HelpdeskTicket, OutcomeUnknownError, TryOutcome
from ticketing.tickets.retrying import MAX_TRIES, Decision, Situation, Step, decide, give_up, next_step
from ticketing.tickets.ticket import HeldTicket

# A process that stood still after taking a ticket up must not call the helpdesk when its lease is nearly over: the longest
# call of 50 seconds has to end within the 75 of the lease.
_LATEST_START_SECONDS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class TryResult:
    """What one try came to: `ticket` exactly when the outcome is CREATED.

    `is_trouble` says that it speaks against the helpdesk; `latency` is None when the helpdesk was not asked.
    """

    step: Step
    outcome: TryOutcome
    ticket: HelpdeskTicket | None = None
    error_class: str | None = None
    detail: str | None = None
    retry_after: timedelta | None = None
    is_trouble: bool = False
    latency: timedelta | None = None


class Ledger(Protocol):
    """The ledger of one tenant; each call is a transaction of its own."""

    def take_up(self, ticket_id: UUID, *, helpdesk: Helpdesk) -> HeldTicket | None:
        """Lease a ticket that is due, or None when it is final, not due, held by somebody, or its helpdesk rests."""
        ...

    def settle(self, held: HeldTicket, result: TryResult, decision: Decision, *, helpdesk: Helpdesk) -> bool:
        """Record a try and its decision; False, with only the try recorded, when the lease went to somebody else."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Chance:
    """What a try takes from outside: a number from 0 to 1 against retries in step, and seconds that only run forward."""

    spread: Callable[[], float]
    stopwatch: Callable[[], float]


def create_once(ticket_id: UUID, *, ledger: Ledger, helpdesk: Helpdesk, chance: Chance) -> bool:
    """Make one try at a ticket and say whether there was one to make.

    Repeat: a ticket that is final, not due or held is left alone.
    """
    began = chance.stopwatch()
    held = ledger.take_up(ticket_id, helpdesk=helpdesk)
    if held is None:
        return False
    # Only tries that were cut off get here: whatever kills their workers would kill this one too.
    if held.tries > MAX_TRIES:
        result = TryResult(step="wait", outcome=TryOutcome.UNKNOWN, error_class="TriesSpent")
        ledger.settle(held, result, give_up(held.question), helpdesk=helpdesk)
        return True
    result = _try(held, helpdesk, chance.stopwatch, began=began)
    decision = decide(_situation(held, result, helpdesk), spread=chance.spread())
    ledger.settle(held, result, decision, helpdesk=helpdesk)
    return True


def _try(held: HeldTicket, helpdesk: Helpdesk, stopwatch: Callable[[], float], *, began: float) -> TryResult:
    step = next_step(held.question, helpdesk.guarantee, is_erased=held.is_erased)
    if step == "wait":
        return TryResult(step=step, outcome=TryOutcome.UNKNOWN)
    if stopwatch() - began > _LATEST_START_SECONDS:
        return TryResult(step=step, outcome=TryOutcome.NOT_CREATED, error_class="StartedTooLate")
    began = stopwatch()
    outcome, ticket, error = _asked(step, held, helpdesk)
    return TryResult(
        step=step,
        outcome=outcome,
        ticket=ticket,
        error_class=type(error).__name__ if error else None,
        detail=error.detail if error else None,
        retry_after=error.retry_after if error else None,
        is_trouble=error.is_trouble if error else False,
        latency=timedelta(seconds=stopwatch() - began),
    )


def _asked(
    step: Step, held: HeldTicket, helpdesk: Helpdesk
) -> tuple[TryOutcome, HelpdeskTicket | None, HelpdeskError | None]:
    try:
        return *_carry_out(step, held, helpdesk), None
    except HelpdeskError as error:
        # A lookup that fails says nothing about the create before it.
        is_unanswered = step == "look_up" and error.outcome is TryOutcome.NOT_CREATED
        return TryOutcome.UNKNOWN if is_unanswered else error.outcome, None, error
    except Exception as bug:  # noqa: BLE001 - an adapter's bug must not leave the ticket to its lease; it is recorded
        return TryOutcome.UNKNOWN, None, OutcomeUnknownError(f"The adapter failed: {type(bug).__name__}.")


def _carry_out(step: Step, held: HeldTicket, helpdesk: Helpdesk) -> tuple[TryOutcome, HelpdeskTicket | None]:
    content = held.content
    if step == "create":
        return TryOutcome.CREATED, helpdesk.create(content)
    found = helpdesk.find_by_key(tenant=content.tenant, ticket_key=content.ticket_key)
    return TryOutcome.CREATED if found else TryOutcome.ABSENT, found


def _situation(held: HeldTicket, result: TryResult, helpdesk: Helpdesk) -> Situation:
    return Situation(
        step=result.step,
        outcome=result.outcome,
        tries=held.tries,
        absences=held.absences + (result.outcome is TryOutcome.ABSENT),
        guarantee=helpdesk.guarantee,
        question=held.question,
        retry_after=result.retry_after,
        is_erased=held.is_erased,
    )
