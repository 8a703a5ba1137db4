"""Say what the staff API of the desk takes and gives."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime
from typing import Literal

from pydantic import Field

from contracts.errors import InvalidRequestError
from contracts.messages import CreateTicket
from contracts.model import Outgoing
from ticketing.api.texts import Solution
from ticketing.desk.ticket import DeskStatus, DeskTicket, printed_number

MovedStatus = Literal["IN_PROGRESS", "SOLVED"]


class TicketSummary(Outgoing):
    """A ticket in the list."""

    number: str
    status: DeskStatus
    priority: str
    attempt_id: str
    escalation_id: str
    question: str
    created_at: datetime
    changed_at: datetime


class TicketPage(Outgoing):
    """Tickets, the newest first, and where the list goes on."""

    items: tuple[TicketSummary, ...]
    next_cursor: str | None


class TicketView(Outgoing):
    """A whole ticket: what the person who takes over needs to know."""

    number: str
    status: DeskStatus
    created_at: datetime
    changed_at: datetime
    escalation: CreateTicket


class StatusChange(Outgoing):
    """Move a ticket forward."""

    status: MovedStatus
    solution: Solution | None = Field(default=None, description="What the customer reads when it is solved")


def summary(ticket: DeskTicket) -> TicketSummary:
    """Show a ticket in the list."""
    escalation = CreateTicket.model_validate(ticket.body)
    return TicketSummary(
        number=printed_number(ticket.number),
        status=ticket.status,
        priority=ticket.priority,
        attempt_id=ticket.attempt_id,
        escalation_id=escalation.escalation_id,
        question=escalation.question,
        created_at=ticket.created_at,
        changed_at=ticket.changed_at,
    )


def view(ticket: DeskTicket) -> TicketView:
    """Show a whole ticket."""
    return TicketView(
        number=printed_number(ticket.number),
        status=ticket.status,
        created_at=ticket.created_at,
        changed_at=ticket.changed_at,
        escalation=CreateTicket.model_validate(ticket.body),
    )


def page(tickets: tuple[DeskTicket, ...], *, limit: int) -> TicketPage:
    """Show a page; `tickets` holds one more than `limit` when the list goes on."""
    shown = tickets[:limit]
    more = len(tickets) > limit
    return TicketPage(
        items=tuple(summary(ticket) for ticket in shown),
        next_cursor=_cursor(shown[-1].number) if more else None,
    )


def after_cursor(cursor: str | None) -> int | None:
    """Read the number a cursor stands for. Errors: InvalidRequestError for anything we did not give out."""
    if cursor is None:
        return None
    try:
        number = int(urlsafe_b64decode(cursor.encode("ascii", "strict")))
    except ValueError as malformed:
        raise InvalidRequestError("cursor: not one of ours.") from malformed
    if _cursor(number) != cursor:
        raise InvalidRequestError("cursor: not one of ours.")
    return number


def _cursor(number: int) -> str:
    return urlsafe_b64encode(str(number).encode()).decode()
