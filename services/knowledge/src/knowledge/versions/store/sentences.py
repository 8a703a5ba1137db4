"""The vectors of sentences, which follow a version that is built: what waits, and who holds the lease."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, delete, func, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.ingestion.jobs import LEASE_SECONDS, LostLeaseError
from knowledge.tables.sentences import sentence_backlog
from knowledge.tables.versions import version as version_table
from knowledge.versions.releasing import SERVABLE

_LEASED: Final = text(f"clock_timestamp() + interval '{LEASE_SECONDS} seconds'")
_HANDED_ON: Final = text("clock_timestamp() + interval '5 seconds'")
_POSTPONED: Final = text("clock_timestamp() + interval '30 seconds'")

_OPEN: Final = text("""
    INSERT INTO sentence_backlog (tenant, version, pending)
    SELECT :tenant, :version, count(*)
    FROM version_revision
    JOIN passage ON passage.tenant = :tenant AND passage.revision = version_revision.revision
    WHERE version_revision.tenant = :tenant AND version_revision.version = :version
      AND NOT EXISTS (SELECT FROM sentence WHERE sentence.tenant = :tenant AND sentence.passage = passage.id)
    HAVING count(*) > 0
    ON CONFLICT DO NOTHING
""")

# Revisions in the order of their ids, so that every step begins where the last one ended.
_WAITING: Final = text("""
    SELECT passage.id AS passage_id, passage.revision AS revision_id, passage.text
    FROM version_revision
    JOIN passage ON passage.tenant = :tenant AND passage.revision = version_revision.revision
    WHERE version_revision.tenant = :tenant AND version_revision.version = :version
      AND version_revision.revision >= coalesce(CAST(:reached AS uuid), '00000000-0000-0000-0000-000000000000')
      AND NOT EXISTS (SELECT FROM sentence WHERE sentence.tenant = :tenant AND sentence.passage = passage.id)
    ORDER BY version_revision.revision, passage.ordinal
    LIMIT :limit
""")
_ONE_BY_ONE: Final = text(
    "SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """A version under a lease whose passages wait for their sentences."""

    version: int
    reached: UUID | None
    lease_token: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A passage that waits for its sentences."""

    passage_id: UUID
    revision_id: UUID
    text: str


def open_backlog(connection: Connection, *, tenant: str, version: int) -> None:
    """Note how many passages of a version wait for their sentences, if any do. Repeat: the first note stays."""
    connection.execute(_OPEN, {"tenant": tenant, "version": version})


def claim(connection: Connection, *, version: int, embedder: str, lease_token: UUID) -> Backlog | None:
    """Take the lease of a version's backlog; None when it is taken, nothing waits, or another embedder built it.

    The backlog of a version that cannot serve any more is dropped.
    """
    built = select(version_table.c.state, version_table.c.embedder).where(version_table.c.number == version)
    row = connection.execute(built).one_or_none()
    columns = sentence_backlog.c
    if row is None or row.state not in SERVABLE:
        connection.execute(delete(sentence_backlog).where(columns.version == version))
        return None
    if row.embedder != embedder:
        return None
    claiming = (
        update(sentence_backlog)
        .where(
            columns.version == version,
            columns.lease_token.is_(None) | (columns.lease_until < func.clock_timestamp()),
        )
        .values(lease_token=lease_token, lease_until=_LEASED)
        .returning(columns.reached)
    )
    claimed = connection.execute(claiming).one_or_none()
    return None if claimed is None else Backlog(version=version, reached=claimed.reached, lease_token=lease_token)


def waiting_passages(
    connection: Connection, backlog: Backlog, *, tenant: str, limit: int, characters: int
) -> list[Waiting]:
    """List passages without sentences: the first always, further ones while all are this short."""
    connection.execute(_ONE_BY_ONE)
    asked = {"tenant": tenant, "version": backlog.version, "reached": backlog.reached, "limit": limit}
    listed = [Waiting(**row) for row in connection.execute(_WAITING, asked).mappings()]
    ends = accumulate(len(each.text) for each in listed)
    return [each for place, (each, end) in enumerate(zip(listed, ends, strict=True)) if not place or end <= characters]


def hold(connection: Connection, backlog: Backlog) -> None:
    """Keep a version from being given up until this is committed: what it leaves is then removed piece by piece.

    Errors: LostLeaseError when it was given up meanwhile.
    """
    columns = version_table.c
    held = select(columns.number).where(columns.number == backlog.version, columns.state.in_(SERVABLE))
    if connection.execute(held.with_for_update(read=True)).one_or_none() is None:
        raise LostLeaseError


def hand_on(connection: Connection, backlog: Backlog, done: Sequence[Waiting]) -> None:
    """Note what waits no more and give the lease back. Errors: LostLeaseError when another worker has it."""
    columns = sentence_backlog.c
    # Another version may have brought some of them meanwhile; what is left is one at least until it is looked again.
    left = func.greatest(columns.pending - len(done), 1)
    moved = {"pending": left, "reached": done[-1].revision_id, "lease_token": None, "lease_until": _HANDED_ON}
    if connection.execute(update(sentence_backlog).where(_is_mine(backlog)).values(**moved)).rowcount != 1:
        raise LostLeaseError


def close_backlog(connection: Connection, backlog: Backlog) -> None:
    """Note that nothing waits any more. Errors: LostLeaseError."""
    if connection.execute(delete(sentence_backlog).where(_is_mine(backlog))).rowcount != 1:
        raise LostLeaseError


async def due_backlogs(connection: AsyncConnection, *, limit: int) -> list[tuple[str, int]]:
    """List backlogs whose lease is over, as (tenant, version): for the sweeper."""
    columns = sentence_backlog.c
    due = (
        select(columns.tenant, columns.version)
        .where(columns.lease_until < func.clock_timestamp())
        .order_by(columns.lease_until)
        .limit(limit)
    )
    return [(row.tenant, row.version) for row in await connection.execute(due)]


async def postpone_backlog(connection: AsyncConnection, version: int) -> bool:
    """Push a due lease a little further, so that one pulse wakes a worker and not each; say whether it was due."""
    columns = sentence_backlog.c
    postponing = (
        update(sentence_backlog)
        .where(columns.version == version, columns.lease_until < func.clock_timestamp())
        .values(lease_token=None, lease_until=_POSTPONED)
    )
    return (await connection.execute(postponing)).rowcount == 1


def _is_mine(backlog: Backlog) -> ColumnElement[bool]:
    columns = sentence_backlog.c
    return (columns.version == backlog.version) & (columns.lease_token == backlog.lease_token)
