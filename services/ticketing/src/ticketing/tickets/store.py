"""Keep the ledger: one row a ticket key, a row for every try, and the messages that tell the customer."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Row, Table, func, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.sql.dml import ReturningUpdate

from contracts.ids import IdSource
from contracts.messages import TICKET_CHANGED, CreateTicket, TicketChanged
from contracts.reasons import EscalationStatus
from runtime import outbox
from runtime.telemetry import current_traceparent
from ticketing import tables
from ticketing.tickets.creating import TryResult
from ticketing.tickets.helpdesk import TryOutcome
from ticketing.tickets.receiving import ParkedMessage, Receipt
from ticketing.tickets.retrying import Decision
from ticketing.tickets.ticket import (
    HeldTicket,
    TicketState,
    content_hash,
    is_news,
    status_of,
    takeable_states,
)

OUTBOX: Final[Table] = tables.OUTBOX
_TICKET: Final = tables.TICKET.c
_TRY: Final = tables.TICKET_TRY.c
_NOW: Final = text("clock_timestamp()")

# A try has at most 60 seconds, the limit of a task; a lease outlives it.
LEASE_SECONDS: Final = 75
# The worker that received an order tries first; the pulse takes it up when that worker is gone.
_HEAD_START_SECONDS: Final = 10
_REPLIES_TO: Final = "bff"


@dataclass(frozen=True, slots=True)
class Received:
    """The ledger row of a message, and whether the message is the first with its key."""

    ticket_id: UUID
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Origin:
    """What a ticket that is taken up again continues: the attempt and the trace it came from."""

    attempt_id: str
    traceparent: str | None


def receive(connection: Connection, order: CreateTicket, *, data: Mapping[str, object], ticket_id: UUID) -> Received:
    """Write the ledger row of an order. Repeat: the row of the first order with this key stands."""
    digest = content_hash(data)
    row = (
        insert(tables.TICKET)
        .values(
            id=ticket_id,
            tenant=order.tenant,
            ticket_key=order.ticket_key,
            escalation_id=order.escalation_id,
            attempt_id=order.attempt_id,
            body=dict(data),
            body_hash=digest,
            due_at=_after(_HEAD_START_SECONDS),
            traceparent=current_traceparent(),
        )
        .on_conflict_do_nothing(index_elements=["tenant", "ticket_key"])
        .returning(_TICKET.id)
    )
    if connection.execute(row).one_or_none():
        return Received(ticket_id, "new")
    first = connection.execute(
        select(_TICKET.id, _TICKET.body_hash).where(_TICKET.ticket_key == order.ticket_key)
    ).one()
    return Received(first.id, "repeat" if first.body_hash == digest else "other_content")


def park(connection: Connection, message: ParkedMessage, *, parked_id: UUID) -> None:
    """Put a message aside with its reason. Repeat: the first parking stands."""
    statement = insert(tables.PARKED_MESSAGE).values(
        id=parked_id,
        tenant=message.tenant,
        message_id=message.message_id,
        type=message.type,
        attempt_id=message.attempt_id,
        reason=message.reason,
        detail=message.detail,
        body=message.body,
    )
    connection.execute(statement.on_conflict_do_nothing(index_elements=["tenant", "message_id", "reason"]))


def repeat_last_change(connection: Connection, ticket_id: UUID) -> None:
    """Send the newest TicketChanged of a ticket again, if it has one: the answer to a repeated order."""
    message_id = connection.execute(select(_TICKET.last_message_id).where(_TICKET.id == ticket_id)).scalar_one()
    if message_id is not None:
        outbox.repeat_row(connection, OUTBOX, message_id)


def acknowledge(connection: Connection, message_id: UUID) -> None:
    """End the repetition of a message its receiver has handled."""
    outbox.acknowledge_row(connection, OUTBOX, message_id)


def origin(connection: Connection, ticket_id: UUID) -> Origin:
    """Give what the log and the trace of a ticket continue."""
    row = connection.execute(select(_TICKET.attempt_id, _TICKET.traceparent).where(_TICKET.id == ticket_id)).one()
    return Origin(row.attempt_id, row.traceparent)


def take_up(connection: Connection, ticket_id: UUID, *, try_id: UUID, helpdesk: str) -> HeldTicket | None:
    """Lease a new or due ticket and open a try; None when it is not due, final, or being taken by somebody else."""
    found = (
        select(_TICKET.id, _TICKET.state)
        .where(_TICKET.id == ticket_id, _TICKET.state.in_(takeable_states()))
        .where(or_(_TICKET.state == TicketState.RECEIVED, _TICKET.due_at <= _NOW))
        .with_for_update(skip_locked=True)
        .cte("found")
    )
    leased = (
        update(tables.TICKET)
        .where(_TICKET.id == found.c.id)
        .values(state=TicketState.CREATING, fence=_TICKET.fence + 1, due_at=_after(LEASE_SECONDS), helpdesk=helpdesk)
        .returning(tables.TICKET, found.c.state.label("found_state"))
    )
    row = connection.execute(leased).one_or_none()
    if row is None:
        return None
    _open_try(connection, row, try_id)
    return _held(connection, row)


def settle(  # noqa: PLR0913 - one transaction records everything a try brought
    connection: Connection,
    held: HeldTicket,
    result: TryResult,
    decision: Decision,
    *,
    now: datetime,
    new_id: IdSource,
) -> bool:
    """Record a try, move the ticket, and tell the customer's side what is new.

    Returns False when the lease went to somebody else: then only the try is recorded.
    """
    _close_try(connection, held, result)
    row = connection.execute(_moved(held, result, decision)).one_or_none()
    if row is None:
        return False
    _announce(connection, row, status_of(decision.state), now=now, message_id=new_id())
    return True


def report_status(
    connection: Connection, ticket_key: str, status: EscalationStatus, *, now: datetime, message_id: UUID
) -> None:
    """Pass a helpdesk's status on to the customer's side. Repeat: a status that is not news changes nothing."""
    found = select(tables.TICKET).where(_TICKET.ticket_key == ticket_key).with_for_update()
    _announce(connection, connection.execute(found).one(), status, now=now, message_id=message_id)


async def find_due(connection: AsyncConnection, *, limit: int) -> list[tuple[str, UUID]]:
    """List due tickets of all tenants, the longest due first: for the sweeper, which sees nothing else of them."""
    due = select(_TICKET.tenant, _TICKET.id).where(_TICKET.due_at <= _NOW).order_by(_TICKET.due_at).limit(limit)
    return [(row.tenant, row.id) for row in await connection.execute(due)]


def _after(seconds: float) -> ColumnElement[datetime]:
    return func.clock_timestamp() + func.make_interval(0, 0, 0, 0, 0, 0, seconds)


def _open_try(connection: Connection, row: Row[Any], try_id: UUID) -> None:  # a whole row of the ledger
    values = {
        "id": try_id,
        "tenant": row.tenant,
        "ticket_id": row.id,
        "attempt_id": row.attempt_id,
        "fence": row.fence,
        "helpdesk": row.helpdesk,
    }
    connection.execute(insert(tables.TICKET_TRY).values(**values))


def _held(connection: Connection, row: Row[Any]) -> HeldTicket:  # as above
    counts = select(func.count(), func.count().filter(_TRY.outcome == TryOutcome.ABSENT)).where(
        _TRY.ticket_id == row.id
    )
    tries, absences = connection.execute(counts).one()
    return HeldTicket(
        ticket_id=row.id,
        found=TicketState(row.found_state),
        fence=row.fence,
        tries=tries,
        absences=absences,
        content=CreateTicket.model_validate(row.body),
    )


def _close_try(connection: Connection, held: HeldTicket, result: TryResult) -> None:
    connection.execute(
        update(tables.TICKET_TRY)
        .where(_TRY.ticket_id == held.ticket_id, _TRY.fence == held.fence)
        .values(
            step=result.step,
            finished_at=_NOW,
            outcome=result.outcome,
            error_class=result.error_class,
            external_id=result.ticket.external_id if result.ticket else None,
        )
    )


def _moved(held: HeldTicket, result: TryResult, decision: Decision) -> ReturningUpdate[Any]:  # whole rows of the ledger
    changes: dict[str, object] = {
        "state": decision.state,
        "due_at": _after(decision.wait.total_seconds()) if decision.wait is not None else None,
        "changed_at": _NOW,
    }
    if result.ticket is not None:
        changes |= {"external_id": result.ticket.external_id, "ticket_number": result.ticket.number}
    return (
        update(tables.TICKET)
        .where(_TICKET.id == held.ticket_id, _TICKET.fence == held.fence, _TICKET.state == TicketState.CREATING)
        .values(**changes)
        .returning(tables.TICKET)
    )


def _announce(
    connection: Connection,
    row: Row[Any],  # as above
    status: EscalationStatus,
    *,
    now: datetime,
    message_id: UUID,
) -> None:
    # A person may have taken the ticket before its creation was recorded; its number is still to be told then.
    told = status if is_news(row.status, status) else row.status
    if told == row.status and status != "TICKET_CREATED":
        return
    sequence = row.sequence + 1
    connection.execute(
        update(tables.TICKET)
        .where(_TICKET.id == row.id)
        .values(status=told, sequence=sequence, last_message_id=message_id, changed_at=_NOW)
    )
    outbox.write_sync(connection, OUTBOX, _message(row, told, sequence, now=now, message_id=message_id))


def _message(
    row: Row[Any],  # as above
    status: EscalationStatus,
    sequence: int,
    *,
    now: datetime,
    message_id: UUID,
) -> outbox.Message:
    changed = TicketChanged(
        tenant=row.tenant,
        ticket_key=row.ticket_key,
        escalation_id=row.escalation_id,
        attempt_id=row.attempt_id,
        ticket_number=row.ticket_number,
        status=status,
        sequence=sequence,
        changed_at=now,
    )
    return outbox.Message(
        message_id=message_id,
        tenant=row.tenant,
        type=TICKET_CHANGED,
        queue=_REPLIES_TO,
        subject=row.ticket_key,
        attempt_id=row.attempt_id,
        data=changed.model_dump(mode="json"),
    )
