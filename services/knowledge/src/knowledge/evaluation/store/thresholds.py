"""Thresholds: every set of bounds is a row that stays."""

from typing import Any

from sqlalchemy import Row, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.evaluation.thresholds import Bound, Thresholds
from knowledge.tables.evaluation import evaluation_threshold
from knowledge.versions.acts import Acting

_COLUMN = evaluation_threshold.c


async def set_thresholds(connection: AsyncConnection, acting: Acting, bounds: tuple[Bound, ...]) -> Thresholds:
    """Let these bounds hold for every run that begins from now on; none at all ends the gate. The edge puts it on record."""
    written = [bound.model_dump(mode="json") for bound in bounds]
    row = {"tenant": acting.tenant, "bounds": written, "set_by": acting.actor}
    inserted = await connection.execute(insert(evaluation_threshold).values(row).returning(evaluation_threshold))
    return _stored(inserted.one())


async def newest_thresholds(connection: AsyncConnection) -> Thresholds | None:
    """Give the bounds that hold now; None where none were ever set."""
    found = await list_thresholds(connection, limit=1)
    return found[0] if found else None


async def list_thresholds(connection: AsyncConnection, *, limit: int) -> list[Thresholds]:
    """List the sets of bounds there were, newest first."""
    listing = select(evaluation_threshold).order_by(_COLUMN.number.desc()).limit(limit)
    return [_stored(row) for row in await connection.execute(listing)]


def _stored(row: Row[Any]) -> Thresholds:
    bounds = tuple(Bound.model_validate(each) for each in row.bounds)
    return Thresholds(number=row.number, bounds=bounds, set_by=row.set_by, set_at=row.set_at)
