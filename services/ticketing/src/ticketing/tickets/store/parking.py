"""Keep what was put aside for a person, and tell the customer's side of an order that is not followed."""

from typing import Final
from uuid import UUID

from sqlalchemy import Connection, func, select, text, update

from contracts.messages import TicketChanged
from runtime.parking import ParkedMessage, Parking, days_ago
from ticketing import tables
from ticketing.tickets.receiving import Addressee, addressee_of
from ticketing.tickets.store import telling

_PARKED: Final = tables.PARKED_MESSAGE.c
_NOW: Final = text("clock_timestamp()")

PARKING: Final = Parking(parked=tables.PARKED_MESSAGE, failed=tables.FAILED_DELIVERY)


def park(connection: Connection, message: ParkedMessage, stamp: telling.Stamp, *, parked_id: UUID) -> bool:
    """Put a message aside and report it to the customer's side; say whether it is news. Repeat: the first parking stands."""
    whose = addressee_of(message.body)
    own = {"ticket_key": whose.ticket_key if whose else None}
    is_news = PARKING.park(connection, message, parked_id=parked_id, own=own)
    if is_news and whose is not None:
        _report(connection, message, whose, stamp, parked_id=parked_id)
    return is_news


def drop_outlived(connection: Connection, *, days: int) -> int:
    """Forget what was put aside so many days ago, and failed deliveries as old; say how many there were.

    What took numbers of a ticket's sequence stays without its body: those numbers must not be given out again.
    """
    dropped = PARKING.drop(connection, days=days, only=~_PARKED.is_reported)
    emptied = update(tables.PARKED_MESSAGE).where(_PARKED.parked_at < days_ago(days), _PARKED.body != "")
    replayed = func.coalesce(_PARKED.replayed_at, _NOW)
    return dropped + connection.execute(emptied.values(body="", replayed_at=replayed)).rowcount


def _report(
    connection: Connection, message: ParkedMessage, whose: Addressee, stamp: telling.Stamp, *, parked_id: UUID
) -> None:
    if telling.report_problem(connection, whose.ticket_key, message.reason, stamp):
        return
    connection.execute(update(tables.PARKED_MESSAGE).where(_PARKED.id == parked_id).values(is_reported=True))
    told = select(func.count()).where(_PARKED.ticket_key == whose.ticket_key, _PARKED.is_reported)
    sequence = connection.execute(told).scalar_one()
    telling.send(connection, _delayed(message, whose, stamp, sequence=sequence), message_id=stamp.message_id)


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
