"""Let staff read the desk's tickets and move them forward."""

from typing import Annotated

from fastapi import APIRouter, Query
from sqlalchemy import Connection

from contracts.errors import NotFoundError
from contracts.ids import uuid7
from runtime.clock import utc_now
from runtime.paging import PageSize
from ticketing.api.bodies import StatusChange, TicketPage, TicketView, after_cursor, page, view
from ticketing.api.parameters import TicketPath
from ticketing.api.problems import problems
from ticketing.api.transactions import Transaction
from ticketing.desk import store as desk
from ticketing.desk.ticket import DeskStatus, DeskTicket, move, parsed_number
from ticketing.tickets.store import telling

router = APIRouter(prefix="/v1/staff/tickets", tags=["desk"])


@router.get("", responses=problems(403))
async def list_tickets(
    connection: Transaction,
    *,
    cursor: Annotated[
        str | None, Query(max_length=32, description="The `nextCursor` of the page before", examples=["MTA0Mg=="])
    ] = None,
    status: Annotated[DeskStatus | None, Query(description="Only tickets that stand there at the desk")] = None,
    limit: PageSize = 20,
) -> TicketPage:
    """List the desk's tickets, the newest first."""
    below = after_cursor(cursor)
    tickets = await connection.run_sync(desk.list_tickets, below=below, status=status, limit=limit + 1)
    return page(tickets, limit=limit)


@router.get("/{number}", responses=problems(403, 404))
async def read_ticket(connection: Transaction, number: TicketPath) -> TicketView:
    """Read a whole ticket. Errors: 404 for a foreign or unknown number."""
    return view(_known(await connection.run_sync(desk.find_ticket, _known_number(number))))


@router.post("/{number}/status", responses=problems(403, 404, 409))
async def change_status(connection: Transaction, number: TicketPath, change: StatusChange) -> TicketView:
    """Move a ticket forward and tell the customer's side. Repeat: nothing changes. Errors: 404; 409 for a move back."""
    return view(await connection.run_sync(_change, _known_number(number), change))


def _change(connection: Connection, number: int, change: StatusChange) -> DeskTicket:
    ticket = _known(desk.lock_ticket(connection, number))
    if not move(ticket.status, change.status):
        return ticket
    moved = desk.set_status(connection, number, change.status)
    news = telling.News(status=change.status, solution=change.solution)
    telling.report_status(connection, ticket.ticket_key, news, telling.Stamp(now=utc_now(), message_id=uuid7()))
    return moved


def _known_number(text: str) -> int:
    number = parsed_number(text)
    if number is None:
        raise NotFoundError
    return number


def _known(ticket: DeskTicket | None) -> DeskTicket:
    if ticket is None:
        raise NotFoundError
    return ticket
