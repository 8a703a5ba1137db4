"""Versions as staff see them: listed, published, rolled back."""

from typing import Final

from sqlalchemy import func, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.tables.versions import tenant_pointer, version
from knowledge.versions.version import (
    PublishedMeanwhileError,
    Version,
    VersionNotFoundError,
    refuse_unpublishable,
)

_VERSIONS: Final = text("""
    SELECT version.number, version.state, version.passages, version.reason, version.created_by, version.created_at,
           version.published_by, version.published_at, count(revision.id) AS revisions,
           count(DISTINCT revision.document) AS documents
    FROM version
    LEFT JOIN version_revision ON version_revision.version = version.number
    LEFT JOIN revision ON revision.id = version_revision.revision
    WHERE version.number < coalesce(CAST(:before AS integer), 2147483647)
    GROUP BY version.tenant, version.number
    ORDER BY version.number DESC
    LIMIT :limit
""")


async def list_versions(connection: AsyncConnection, *, before: int | None, limit: int) -> list[Version]:
    """List versions, newest first, below a number."""
    rows = await connection.execute(_VERSIONS, {"before": before, "limit": limit})
    return [Version(**row) for row in rows.mappings()]


async def publish(connection: AsyncConnection, *, number: int, actor: str, expected_current: int | None) -> None:
    """Make a built version current; an older one is how one rolls back. Repeat: the current one stays current.

    Errors: VersionNotFoundError, NotPublishableError; PublishedMeanwhileError when another publication came between.
    """
    state = (await connection.execute(select(version.c.state).where(version.c.number == number))).scalar_one_or_none()
    if state is None:
        raise VersionNotFoundError
    refuse_unpublishable(state, number=number)
    seen = (await connection.execute(select(tenant_pointer.c.current_version))).scalar_one()
    if expected_current not in (None, seen):
        raise PublishedMeanwhileError
    if seen != number:
        await _move_pointer(connection, seen=seen, number=number, actor=actor)


async def _move_pointer(connection: AsyncConnection, *, seen: int | None, number: int, actor: str) -> None:
    moving = (
        update(tenant_pointer)
        .where(tenant_pointer.c.current_version.is_not_distinct_from(seen))
        .values(current_version=number)
    )
    # A second publisher waits here for the first, then finds another pointer than the one it looked at.
    if (await connection.execute(moving)).rowcount != 1:
        raise PublishedMeanwhileError
    await connection.execute(update(version).where(version.c.number == seen).values(state="RETIRED"))
    published = {"state": "PUBLISHED", "published_by": actor, "published_at": func.clock_timestamp()}
    await connection.execute(update(version).where(version.c.number == number).values(**published))
