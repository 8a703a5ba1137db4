"""Keep what was put aside for a person, and how often handling a message failed. The tenant is the transaction's."""

from typing import Final
from uuid import UUID

from sqlalchemy import Connection, delete, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from bff.inbox.parking import Parked, ParkedMessage
from bff.tables import FAILED_DELIVERY, PARKED_MESSAGE

_PARKED: Final = PARKED_MESSAGE.c
_FAILED: Final = FAILED_DELIVERY.c
_NOW: Final = text("clock_timestamp()")


def park(connection: Connection, message: ParkedMessage, *, parked_id: UUID) -> bool:
    """Put a message aside with its reason; say whether it is the first time. Repeat: the first parking stands."""
    statement = insert(PARKED_MESSAGE).values(
        id=parked_id,
        tenant=message.tenant,
        message_id=message.message_id,
        type=message.type,
        attempt_id=message.attempt_id,
        reason=message.reason,
        detail=message.detail,
    )
    once = statement.on_conflict_do_nothing(index_elements=["tenant", "message_id"]).returning(_PARKED.id)
    return connection.execute(once).one_or_none() is not None


def count_failure(connection: Connection, message: ParkedMessage, *, error_class: str) -> int:
    """Count one more delivery of a message that could not be handled; return how many there were."""
    first = insert(FAILED_DELIVERY).values(
        tenant=message.tenant, message_id=message.message_id, error_class=error_class
    )
    counted = first.on_conflict_do_update(
        index_elements=["tenant", "message_id"],
        set_={"deliveries": _FAILED.deliveries + 1, "error_class": error_class, "failed_at": _NOW},
    )
    return connection.execute(counted.returning(_FAILED.deliveries)).scalar_one()


async def list_parked(connection: AsyncConnection, *, below: UUID | None, limit: int) -> tuple[Parked, ...]:
    """List parked messages, the newest first, from below an id on."""
    query = select(PARKED_MESSAGE).order_by(_PARKED.id.desc()).limit(limit)
    if below is not None:
        query = query.where(_PARKED.id < below)
    return tuple(
        Parked(
            parked_id=row.id,
            message_id=row.message_id,
            type=row.type,
            attempt_id=row.attempt_id,
            reason=row.reason,
            detail=row.detail,
            parked_at=row.parked_at,
        )
        for row in await connection.execute(query)
    )


async def drop_parked(connection: AsyncConnection, *, days: int) -> int:
    """Delete parked messages and failed deliveries that are older than so many days, and say how many there were."""
    before = text(f"clock_timestamp() - interval '{int(days)} days'")
    parked = await connection.execute(delete(PARKED_MESSAGE).where(_PARKED.parked_at < before))
    failed = await connection.execute(delete(FAILED_DELIVERY).where(_FAILED.failed_at < before))
    return parked.rowcount + failed.rowcount
