"""Let staff see where every escalation stands between us and the helpdesk, and help those that wait for a person."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request

from contracts.errors import NotFoundError
from contracts.ids import MalformedIdError, parsed, printed, uuid7
from contracts.model import Outgoing
from contracts.reasons import EscalationStatus
from runtime.clock import utc_now
from runtime.cursors import cursor_of, read_cursor
from runtime.paging import NextCursor, PageSize
from ticketing.api.parameters import LedgerPath
from ticketing.api.problems import problems
from ticketing.api.texts import ShortText
from ticketing.api.transactions import Transaction
from ticketing.tickets.helpdesk import HelpdeskTicket
from ticketing.tickets.store import reading, telling
from ticketing.tickets.ticket import TicketState

router = APIRouter(prefix="/v1/staff", tags=["ledger"])


class LedgerEntry(Outgoing):
    """A row of the ledger. `is_open` says that a create may have happened which nobody has seen."""

    ticket_id: str
    ticket_key: str
    escalation_id: str
    attempt_id: str
    state: TicketState
    is_open: bool
    helpdesk: str | None
    external_id: str | None
    ticket_number: str | None
    status: EscalationStatus
    due_at: datetime | None
    received_at: datetime
    changed_at: datetime


class TryEntry(Outgoing):
    """One try as it was recorded; without an outcome it was cut off."""

    helpdesk: str
    step: str | None
    started_at: datetime
    outcome: str | None
    latency_ms: int | None
    error_class: str | None
    detail: str | None
    external_id: str | None


class LedgerPage(Outgoing):
    """Rows of the ledger, the newest first, and where the list goes on."""

    items: tuple[LedgerEntry, ...]
    next_cursor: str | None


class LedgerView(Outgoing):
    """A row of the ledger and all its tries."""

    ticket: LedgerEntry
    tries: tuple[TryEntry, ...]


class QueueEntry(Outgoing):
    """How many rows wait in one place, and for how long the oldest has."""

    name: str
    depth: int
    oldest_seconds: float | None


class QueueList(Outgoing):
    """Everything of a tenant that is not finished."""

    items: tuple[QueueEntry, ...]


class Requeueing(Outgoing):
    """Try a ticket again. `is_surely_absent`: somebody looked, and the helpdesk has no ticket with this key."""

    is_surely_absent: bool = False


class Attachment(Outgoing):
    """The ticket that somebody found or opened by hand."""

    external_id: ShortText
    number: ShortText


@router.get("/ledger", responses=problems(403))
async def list_ledger(
    connection: Transaction,
    *,
    cursor: NextCursor = None,
    state: Annotated[TicketState | None, Query(description="Only rows that stand there with the helpdesk")] = None,
    limit: PageSize = 20,
) -> LedgerPage:
    """List escalations as the ledger has them, the newest first."""
    below = read_cursor(cursor)
    rows = await connection.run_sync(reading.list_tickets, state=state, below=below, limit=limit + 1)
    shown = rows[:limit]
    more = cursor_of(shown[-1].ticket_id) if len(rows) > limit else None
    return LedgerPage(items=tuple(_entry(row) for row in shown), next_cursor=more)


@router.get("/ledger/{ticket_id}", responses=problems(403, 404))
async def read_ledger(connection: Transaction, ticket_id: LedgerPath) -> LedgerView:
    """Read one row with every try. Errors: 404 for a foreign or unknown id."""
    known = _known_id(ticket_id)
    row = _known(await connection.run_sync(reading.find_ticket, known))
    tries = await connection.run_sync(reading.list_tries, known)
    return LedgerView(ticket=_entry(row), tries=tuple(_try_entry(each) for each in tries))


@router.post("/ledger/{ticket_id}/requeue", responses=problems(403, 404, 409))
async def requeue(connection: Transaction, ticket_id: LedgerPath, request: Requeueing) -> LedgerEntry:
    """Let a ticket that needs attention be tried again. Errors: 404; 409 when it does not wait for anybody."""
    absent = request.is_surely_absent
    row = await connection.run_sync(reading.requeue, _known_id(ticket_id), is_surely_absent=absent)
    return _entry(_known(row))


@router.post("/ledger/{ticket_id}/attach", responses=problems(403, 404, 409))
async def attach(
    request: Request, connection: Transaction, ticket_id: LedgerPath, attachment: Attachment
) -> LedgerEntry:
    """Write down the ticket that was found or opened by hand. Errors: 404; 409 during a try or when there is one."""
    known = _known_id(ticket_id)
    row = _known(await connection.run_sync(reading.find_ticket, known))
    is_polled: dict[str, bool] = request.app.state.is_polled
    attached = await connection.run_sync(
        reading.attach,
        known,
        HelpdeskTicket(external_id=attachment.external_id, number=attachment.number),
        is_polled=is_polled.get(row.helpdesk or "", False),
        stamp=telling.Stamp(now=utc_now(), message_id=uuid7()),
    )
    return _entry(_known(attached))


@router.get("/queues", responses=problems(403))
async def list_queues(connection: Transaction) -> QueueList:
    """Say what waits where, and for how long."""
    queues = await connection.run_sync(reading.measure_queues)
    return QueueList(items=tuple(_queue_entry(queue) for queue in queues))


def _known_id(ticket_id: str) -> UUID:
    try:
        return parsed("tic", ticket_id)
    except MalformedIdError as malformed:
        raise NotFoundError from malformed


def _known(row: reading.LedgerTicket | None) -> reading.LedgerTicket:
    if row is None:
        raise NotFoundError
    return row


def _entry(row: reading.LedgerTicket) -> LedgerEntry:
    return LedgerEntry(
        ticket_id=printed("tic", row.ticket_id),
        ticket_key=row.ticket_key,
        escalation_id=row.escalation_id,
        attempt_id=row.attempt_id,
        state=row.state,
        is_open=row.is_open,
        helpdesk=row.helpdesk,
        external_id=row.external_id,
        ticket_number=row.ticket_number,
        status=row.status,
        due_at=row.due_at,
        received_at=row.received_at,
        changed_at=row.changed_at,
    )


def _try_entry(each: reading.LedgerTry) -> TryEntry:
    return TryEntry(
        helpdesk=each.helpdesk,
        step=each.step,
        started_at=each.started_at,
        outcome=each.outcome,
        latency_ms=each.latency_ms,
        error_class=each.error_class,
        detail=each.detail,
        external_id=each.external_id,
    )


def _queue_entry(queue: reading.Queue) -> QueueEntry:
    oldest = None if queue.oldest is None else queue.oldest.total_seconds()
    return QueueEntry(name=queue.name, depth=queue.depth, oldest_seconds=oldest)
