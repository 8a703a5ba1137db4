"""Keep what was put aside for a person: messages that cannot be followed, and how often handling one failed."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert

from contracts.messages import TicketChanged
from ticketing import tables
from ticketing.tickets.receiving import Addressee, ParkedMessage
from ticketing.tickets.store import telling

_PARKED: Final = tables.PARKED_MESSAGE.c
_FAILED: Final = tables.FAILED_DELIVERY.c
_NOW: Final = text("clock_timestamp()")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parked:
    """A message that was put aside, as staff list it; the body may be a customer's text."""

    parked_id: UUID
    message_id: str
    type: str
    attempt_id: str | None
    reason: str
    detail: str
    body: str
    parked_at: datetime
    replayed_at: datetime | None


def park(connection: Connection, message: ParkedMessage, *, parked_id: UUID) -> bool:
    """Put a message aside with its reason; say whether it is the first time. Repeat: the first parking stands."""
    statement = insert(tables.PARKED_MESSAGE).values(
        id=parked_id,
        tenant=message.tenant,
        message_id=message.message_id,
        type=message.type,
        attempt_id=message.attempt_id,
        ticket_key=message.addressee.ticket_key if message.addressee else None,
        reason=message.reason,
        detail=message.detail,
        body=message.body,
    )
    once = statement.on_conflict_do_nothing(index_elements=["tenant", "message_id", "reason"]).returning(_PARKED.id)
    return connection.execute(once).one_or_none() is not None


def report(connection: Connection, message: ParkedMessage, stamp: telling.Stamp, *, parked_id: UUID) -> None:
    """Tell the customer's side that an order was not followed, as far as the message says whose it is."""
    whose = message.addressee
    if whose is None or telling.report_problem(connection, whose.ticket_key, message.reason, stamp):
        return
    connection.execute(update(tables.PARKED_MESSAGE).where(_PARKED.id == parked_id).values(is_reported=True))
    told = select(func.count()).where(_PARKED.ticket_key == whose.ticket_key, _PARKED.is_reported)
    sequence = connection.execute(told).scalar_one()
    telling.send(connection, _delayed(message, whose, stamp, sequence=sequence), message_id=stamp.message_id)


def count_failure(connection: Connection, message: ParkedMessage, *, error_class: str) -> int:
    """Count one more delivery of a message that could not be handled; return how many there were."""
    first = insert(tables.FAILED_DELIVERY).values(
        tenant=message.tenant, message_id=message.message_id, error_class=error_class
    )
    counted = first.on_conflict_do_update(
        index_elements=["tenant", "message_id"],
        set_={"deliveries": _FAILED.deliveries + 1, "error_class": error_class, "failed_at": _NOW},
    )
    return connection.execute(counted.returning(_FAILED.deliveries)).scalar_one()


def drop_outlived(connection: Connection, *, days: int) -> int:
    """Forget what was put aside so many days ago, and failed deliveries as old; say how many there were.

    What took numbers of a ticket's sequence stays without its body: those numbers must not be given out again.
    """
    before = text(f"clock_timestamp() - interval '{int(days)} days'")
    old = _PARKED.parked_at < before
    dropped = connection.execute(delete(tables.PARKED_MESSAGE).where(old, ~_PARKED.is_reported)).rowcount
    emptied = update(tables.PARKED_MESSAGE).where(old, _PARKED.body != "")
    replayed = func.coalesce(_PARKED.replayed_at, _NOW)
    dropped += connection.execute(emptied.values(body="", replayed_at=replayed)).rowcount
    return dropped + connection.execute(delete(tables.FAILED_DELIVERY).where(_FAILED.failed_at < before)).rowcount


def list_parked(connection: Connection, *, below: UUID | None, limit: int) -> tuple[Parked, ...]:
    """List parked messages that were not replayed, the newest first, from below an id on."""
    query = select(tables.PARKED_MESSAGE).where(_PARKED.replayed_at.is_(None)).order_by(_PARKED.id.desc()).limit(limit)
    if below is not None:
        query = query.where(_PARKED.id < below)
    return tuple(_parked(row) for row in connection.execute(query))


def release(connection: Connection, parked_id: UUID) -> Parked | None:
    """Take a parked message out of the list and forget its failed deliveries; None when it is not there (any more)."""
    taken = (
        update(tables.PARKED_MESSAGE)
        .where(_PARKED.id == parked_id, _PARKED.replayed_at.is_(None))
        .values(replayed_at=_NOW)
        .returning(tables.PARKED_MESSAGE)
    )
    row = connection.execute(taken).one_or_none()
    if row is None:
        return None
    connection.execute(delete(tables.FAILED_DELIVERY).where(_FAILED.message_id == row.message_id))
    # The row that stays keeps its numbers of the sequence; the message may be parked anew.
    connection.execute(
        update(tables.PARKED_MESSAGE)
        .where(_PARKED.id == parked_id)
        .values(message_id=func.concat(_PARKED.message_id, "#", _PARKED.id))
    )
    return _parked(row)


def _delayed(message: ParkedMessage, whose: Addressee, stamp: telling.Stamp, *, sequence: int) -> TicketChanged:
    return TicketChanged(
        tenant=message.tenant,
        ticket_key=whose.ticket_key,
        escalation_id=whose.escalation_id,
        attempt_id=whose.attempt_id,
        ticket_number=None,
        status="DELAYED",
        sequence=sequence,
        changed_at=stamp.now,
        problem=message.reason,
    )


def _parked(row: Row[Any]) -> Parked:  # a whole row of the table
    return Parked(
        parked_id=row.id,
        message_id=row.message_id,
        type=row.type,
        attempt_id=row.attempt_id,
        reason=row.reason,
        detail=row.detail,
        body=row.body,
        parked_at=row.parked_at,
        replayed_at=row.replayed_at,
    )
