"""Turn one received escalation into one ticket: take it up, try once, record what came of it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol
from uuid import UUID

from ticketing.tickets.helpdesk import Helpdesk, HelpdeskError, HelpdeskTicket, TryOutcome
from ticketing.tickets.retrying import Decision, Step, decide, next_step
from ticketing.tickets.ticket import HeldTicket


@dataclass(frozen=True, slots=True, kw_only=True)
class TryResult:
    """What one try came to: `ticket` exactly when the outcome is CREATED."""

    step: Step
    outcome: TryOutcome
    ticket: HelpdeskTicket | None = None
    error_class: str | None = None
    retry_after: timedelta | None = None


class Ledger(Protocol):
    """The ledger of one tenant; each call is a transaction of its own."""

    def take_up(self, ticket_id: UUID, *, helpdesk: str) -> HeldTicket | None:
        """Lease a ticket that is due, or None when it is final, not due, or held by somebody."""
        ...

    def settle(self, held: HeldTicket, result: TryResult, decision: Decision) -> bool:
        """Record a try and its decision; False, with only the try recorded, when the lease went to somebody else."""
        ...


def create_once(ticket_id: UUID, *, ledger: Ledger, helpdesk: Helpdesk, spread: Callable[[], float]) -> bool:
    """Make one try at a ticket and say whether there was one to make.

    Repeat: a ticket that is final, not due or held is left alone.
    """
    held = ledger.take_up(ticket_id, helpdesk=helpdesk.name)
    if held is None:
        return False
    result = _try(held, helpdesk)
    ledger.settle(held, result, _decide(held, result, helpdesk=helpdesk, spread=spread()))
    return True


def _try(held: HeldTicket, helpdesk: Helpdesk) -> TryResult:
    step = next_step(held.found, helpdesk.guarantee)
    try:
        return _carry_out(step, held, helpdesk)
    except HelpdeskError as error:
        name = type(error).__name__
        return TryResult(step=step, outcome=error.outcome, error_class=name, retry_after=error.retry_after)


def _carry_out(step: Step, held: HeldTicket, helpdesk: Helpdesk) -> TryResult:
    content = held.content
    match step:
        case "create":
            return TryResult(step=step, outcome=TryOutcome.CREATED, ticket=helpdesk.create(content))
        case "look_up":
            found = helpdesk.find_by_key(tenant=content.tenant, ticket_key=content.ticket_key)
            return TryResult(step=step, outcome=TryOutcome.CREATED if found else TryOutcome.ABSENT, ticket=found)
        case "wait":
            return TryResult(step=step, outcome=TryOutcome.UNKNOWN)


def _decide(held: HeldTicket, result: TryResult, *, helpdesk: Helpdesk, spread: float) -> Decision:
    return decide(
        result.outcome,
        tries=held.tries,
        absences=held.absences + (result.outcome is TryOutcome.ABSENT),
        guarantee=helpdesk.guarantee,
        retry_after=result.retry_after,
        spread=spread,
    )
