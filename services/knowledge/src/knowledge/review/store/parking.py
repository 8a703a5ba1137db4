"""Messages that cannot be taken: put aside with a reason, and how often handling one failed."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, func, literal, select, tuple_
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.review.receiving import ParkedMessage
from knowledge.tables.inbox import failed_delivery, parked_message

_FAILED: Final = failed_delivery.c
_PARKED: Final = parked_message.c


@dataclass(frozen=True, slots=True, kw_only=True)
class Parked(ParkedMessage):
    """A parked message as staff list it."""

    parked_at: datetime


def park(connection: Connection, message: ParkedMessage) -> None:
    """Put a message aside with its reason. Repeat: the first parking stands."""
    fields = {name: getattr(message, name) for name in ParkedMessage.__slots__}
    connection.execute(insert(parked_message).values(fields).on_conflict_do_nothing())


def count_failure(connection: Connection, message: ParkedMessage, *, error_class: str) -> int:
    """Count one more delivery of a message that could not be handled; return how many there were."""
    first = insert(failed_delivery).values(
        tenant=message.tenant, message_id=message.message_id, error_class=error_class
    )
    counted = first.on_conflict_do_update(
        index_elements=[_FAILED.tenant, _FAILED.message_id],
        set_={
            "deliveries": _FAILED.deliveries + 1,
            "error_class": error_class,
            "failed_at": func.clock_timestamp(),
        },
    )
    return connection.execute(counted.returning(_FAILED.deliveries)).scalar_one()


async def list_parked(connection: AsyncConnection, *, before: tuple[datetime, str] | None, limit: int) -> list[Parked]:
    """List parked messages, the newest first, before a moment and message."""
    order = (_PARKED.parked_at, _PARKED.message_id)
    listing = select(parked_message).order_by(*(column.desc() for column in order)).limit(limit)
    if before is not None:
        listing = listing.where(tuple_(*order) < tuple_(*(literal(each) for each in before)))
    names = (*ParkedMessage.__slots__, "parked_at")
    return [Parked(**{name: row[name] for name in names}) for row in (await connection.execute(listing)).mappings()]
