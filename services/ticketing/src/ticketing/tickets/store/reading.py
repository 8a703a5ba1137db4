"""Show staff the ledger and let them move what waits for them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, func, or_, select, text, update

from contracts.reasons import EscalationStatus
from ticketing import tables
from ticketing.tickets.helpdesk import HelpdeskTicket
from ticketing.tickets.retrying import Step
from ticketing.tickets.store.erasing import erased
from ticketing.tickets.store.telling import Stamp, announce
from ticketing.tickets.ticket import TicketState, refuse_attaching, requeued_state, status_of

_TICKET: Final = tables.TICKET.c
_TRY: Final = tables.TICKET_TRY.c
_PARKED: Final = tables.PARKED_MESSAGE.c
_OUTBOX: Final = tables.OUTBOX.c
_NOW: Final = text("clock_timestamp()")


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerTicket:
    """A row of the ledger without the customer's text."""

    ticket_id: UUID
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


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerTry:
    """One try as it was recorded; without an outcome it was cut off."""

    helpdesk: str
    step: Step | None
    started_at: datetime
    outcome: str | None
    latency_ms: int | None
    error_class: str | None
    detail: str | None
    external_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """How many rows wait in one place, and for how long the oldest has."""

    name: str
    depth: int
    oldest: timedelta | None


def list_tickets(
    connection: Connection, *, state: TicketState | None, below: UUID | None, limit: int
) -> tuple[LedgerTicket, ...]:
    """List tickets of the ledger, the newest first, from below an id on."""
    query = select(tables.TICKET).order_by(_TICKET.id.desc()).limit(limit)
    if state is not None:
        query = query.where(_TICKET.state == state)
    if below is not None:
        query = query.where(_TICKET.id < below)
    return tuple(_ticket(row) for row in connection.execute(query))


def find_ticket(connection: Connection, ticket_id: UUID) -> LedgerTicket | None:
    """Find a ticket of the ledger."""
    row = connection.execute(select(tables.TICKET).where(_TICKET.id == ticket_id)).one_or_none()
    return _ticket(row) if row is not None else None


def list_tries(connection: Connection, ticket_id: UUID) -> tuple[LedgerTry, ...]:
    """List the tries of a ticket in their order."""
    rows = connection.execute(select(tables.TICKET_TRY).where(_TRY.ticket_id == ticket_id).order_by(_TRY.fence))
    return tuple(_try(row) for row in rows)


def requeue(connection: Connection, ticket_id: UUID, *, is_surely_absent: bool) -> LedgerTicket | None:
    """Let a ticket that needs attention be tried again from the start of the count; None when there is none.

    `is_surely_absent` closes the open question: a person looked, and the helpdesk has no ticket with this key.
    Errors: as `requeued_state`.
    """
    row = _locked(connection, ticket_id)
    if row is None:
        return None
    is_open = row.open_since is not None and not is_surely_absent
    state = requeued_state(TicketState(row.state), is_open=is_open)
    changes: dict[str, object] = {"state": state, "due_at": _NOW, "counted_from": row.fence, "changed_at": _NOW}
    if not is_open:
        # With nothing open, the helpdesk the tenant has now is as good as the one that was tried.
        changes |= {"open_since": None, "helpdesk": None}
    return _ticket(_changed(connection, ticket_id, changes))


def attach(
    connection: Connection, ticket_id: UUID, found: HelpdeskTicket, *, is_polled: bool, stamp: Stamp
) -> LedgerTicket | None:
    """Write down the ticket that staff found or opened by hand; None when there is no such row.

    Errors: as `refuse_attaching`.
    """
    row = _locked(connection, ticket_id)
    if row is None:
        return None
    refuse_attaching(TicketState(row.state))
    changes: dict[str, object] = {
        "state": TicketState.CREATED,
        "due_at": None,
        "open_since": None,
        "external_id": found.external_id,
        "ticket_number": found.number,
        "poll_at": _NOW if is_polled else None,
        "changed_at": _NOW,
    }
    attached = _changed(connection, ticket_id, changes)
    announce(connection, attached, status_of(TicketState.CREATED), stamp)
    return _ticket(attached)


def measure_queues(connection: Connection) -> tuple[Queue, ...]:
    """Say how many tickets are in each state that is not final, and what waits in the outbox and in the parking lot.

    Nobody waits for the tickets of erased attempts, but for those that may exist unseen.
    """
    unfinished = [state for state in TicketState if state is not TicketState.CREATED]
    by_state = (
        select(_TICKET.state, func.count().label("depth"), (_NOW - func.min(_TICKET.received_at)).label("oldest"))
        .where(_TICKET.state.in_(unfinished), or_(~erased(_TICKET.attempt_id), _TICKET.open_since.is_not(None)))
        .group_by(_TICKET.state)
    )
    found: Mapping[str, Row[Any]] = {row.state: row for row in connection.execute(by_state)}  # counts by state
    states = tuple(
        Queue(name=state, depth=found[state].depth, oldest=found[state].oldest)
        if state in found
        else Queue(name=state, depth=0, oldest=None)
        for state in unfinished
    )
    return (*states, _outbox(connection), _parking_lot(connection))


def _outbox(connection: Connection) -> Queue:
    query = select(func.count(), _NOW - func.min(_OUTBOX.created_at)).where(_OUTBOX.state != "ACKNOWLEDGED")
    depth, oldest = connection.execute(query).one()
    return Queue(name="OUTBOX", depth=depth, oldest=oldest)


def _parking_lot(connection: Connection) -> Queue:
    query = select(func.count(), _NOW - func.min(_PARKED.parked_at)).where(_PARKED.replayed_at.is_(None))
    depth, oldest = connection.execute(query).one()
    return Queue(name="PARKED", depth=depth, oldest=oldest)


def _locked(connection: Connection, ticket_id: UUID) -> Row[Any] | None:  # a whole row of the ledger
    return connection.execute(select(tables.TICKET).where(_TICKET.id == ticket_id).with_for_update()).one_or_none()


def _changed(connection: Connection, ticket_id: UUID, changes: Mapping[str, object]) -> Row[Any]:  # as above
    moved = update(tables.TICKET).where(_TICKET.id == ticket_id).values(**changes).returning(tables.TICKET)
    return connection.execute(moved).one()


def _ticket(row: Row[Any]) -> LedgerTicket:  # as above
    return LedgerTicket(
        ticket_id=row.id,
        ticket_key=row.ticket_key,
        escalation_id=row.escalation_id,
        attempt_id=row.attempt_id,
        state=TicketState(row.state),
        is_open=row.open_since is not None,
        helpdesk=row.helpdesk,
        external_id=row.external_id,
        ticket_number=row.ticket_number,
        status=row.status,
        due_at=row.due_at,
        received_at=row.received_at,
        changed_at=row.changed_at,
    )


def _try(row: Row[Any]) -> LedgerTry:  # a whole row of the table of tries
    return LedgerTry(
        helpdesk=row.helpdesk,
        step=row.step,
        started_at=row.started_at,
        outcome=row.outcome,
        latency_ms=row.latency_ms,
        error_class=row.error_class,
        detail=row.detail,
        external_id=row.external_id,
    )
