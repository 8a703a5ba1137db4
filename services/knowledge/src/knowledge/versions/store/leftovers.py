"""What failed and discarded versions leave behind, removed piece by piece; what another version uses stays.

A revision is first given a fingerprint of its own, so that no import can share it while its passages go.
"""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, Table, delete, func, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.ingestion.jobs import PendingPassage
from knowledge.tables.documents import revision
from knowledge.tables.index import passage, passage_vector, second_vectors, sentence
from knowledge.tables.versions import version, version_revision

_DEAD: Final = ("FAILED", "DISCARDED")
_OF_PASSAGE: Final[tuple[Table, ...]] = (passage_vector, *second_vectors.values(), sentence)
_OF_VERSION: Final = tuple(
    text(f"DELETE FROM {table} WHERE version = :version")  # noqa: S608 - names beside it
    for table in (
        "version_audience",
        "conflict_hint",
        "conflict_omitted",
        "passage_duplicate",
        "passage_pair",
        "sentence_backlog",
    )
)

_LOCK: Final = text("""
    SELECT revision.id FROM version_revision
    JOIN revision ON revision.id = version_revision.revision
    WHERE version_revision.version = :version AND NOT starts_with(revision.fingerprint, 'dead:')
    ORDER BY revision.id
    LIMIT :limit
    FOR UPDATE OF revision SKIP LOCKED
""")

# The second look has a snapshot of its own: whoever held a lock before has committed by now.
_USED: Final = text("""
    SELECT DISTINCT version_revision.revision FROM version_revision
    JOIN version ON version.number = version_revision.version
    WHERE version_revision.revision = ANY(:revisions) AND version.state NOT IN ('FAILED', 'DISCARDED')
""")

_CONDEMN: Final = text("""
    UPDATE revision SET fingerprint = 'dead:' || id, origin_sha256 = NULL WHERE id = ANY(:revisions)
""")

_PASSAGES: Final = text("""
    SELECT passage.id, passage.heading_path, passage.text, revision.title FROM version_revision
    JOIN revision ON revision.id = version_revision.revision
    JOIN passage ON passage.revision = revision.id
    WHERE version_revision.version = :version AND starts_with(revision.fingerprint, 'dead:')
    LIMIT :limit
""")

_POSTINGS: Final = text("""
    DELETE FROM posting USING unnest(CAST(:terms AS bigint[]), CAST(:passages AS uuid[])) AS listed (term, passage)
    WHERE posting.tenant = :tenant AND posting.term = listed.term AND posting.passage = listed.passage
""")

_LIKENESS: Final = text("""
    DELETE FROM passage_likeness WHERE passage = ANY(CAST(:ids AS uuid[])) OR other = ANY(CAST(:ids AS uuid[]))
""")

_REVISIONS: Final = text("""
    SELECT revision.id, revision.document FROM version_revision
    JOIN revision ON revision.id = version_revision.revision
    WHERE version_revision.version = :version AND starts_with(revision.fingerprint, 'dead:')
      AND NOT EXISTS (SELECT FROM passage WHERE passage.revision = revision.id)
    LIMIT :limit
""")

_DOCUMENTS: Final = text("""
    DELETE FROM document WHERE id = ANY(:documents)
      AND NOT EXISTS (SELECT FROM revision WHERE revision.document = document.id)
      AND NOT EXISTS (SELECT FROM withdrawal WHERE withdrawal.document = document.id)
""")

_FREQUENCIES: Final = text("""
    DELETE FROM term_frequency WHERE tenant = :tenant AND version = :version AND term IN (
        SELECT term FROM term_frequency WHERE tenant = :tenant AND version = :version ORDER BY term LIMIT :limit)
""")


async def due_leftovers(connection: AsyncConnection, *, limit: int) -> list[tuple[str, int]]:
    """List dead versions that are not swept, as (tenant, number): for the sweeper."""
    columns = version.c
    due = (
        select(columns.tenant, columns.number)
        .where(columns.state.in_(_DEAD), columns.cleaned_at.is_(None), columns.clean_after < func.clock_timestamp())
        .order_by(columns.clean_after)
        .limit(limit)
    )
    return [(row.tenant, row.number) for row in await connection.execute(due)]


async def postpone_leftovers(connection: AsyncConnection, number: int) -> bool:
    """Push the next look at a dead version on, so that one pulse asks for it and not each; say whether it was due."""
    columns = version.c
    postponing = (
        update(version)
        .where(columns.number == number, columns.cleaned_at.is_(None), columns.clean_after < func.clock_timestamp())
        .values(clean_after=text("clock_timestamp() + interval '30 seconds'"))
    )
    return (await connection.execute(postponing)).rowcount == 1


def condemn_revisions(connection: Connection, *, number: int, limit: int) -> int:
    """Let go of revisions that others use and mark those that go; say how many were looked at."""
    locked = list(connection.execute(_LOCK, {"version": number, "limit": limit}).scalars())
    used = list(connection.execute(_USED, {"revisions": locked}).scalars())
    columns = version_revision.c
    connection.execute(delete(version_revision).where(columns.version == number, columns.revision.in_(used)))
    connection.execute(_CONDEMN, {"revisions": [each for each in locked if each not in set(used)]})
    return len(locked)


def condemned_passages(connection: Connection, *, number: int, limit: int) -> list[PendingPassage]:
    """Give passages that are to go, with what their terms are computed from."""
    rows = connection.execute(_PASSAGES, {"version": number, "limit": limit})
    return [
        PendingPassage(passage_id=row.id, title=row.title, heading_path=tuple(row.heading_path), text=row.text)
        for row in rows
    ]


def remove_passages(
    connection: Connection, *, tenant: str, ids: Sequence[UUID], postings: Sequence[tuple[int, UUID]]
) -> None:
    """Remove passages and all they are found by; `postings` pairs their terms with them. Repeat: harmless."""
    terms, passages = zip(*postings, strict=True) if postings else ((), ())
    connection.execute(_POSTINGS, {"tenant": tenant, "terms": list(terms), "passages": list(passages)})
    connection.execute(_LIKENESS, {"ids": list(ids)})
    for table in _OF_PASSAGE:
        connection.execute(delete(table).where(table.c.passage.in_(ids)))
    connection.execute(delete(passage).where(passage.c.id.in_(ids)))


def remove_revisions(connection: Connection, *, number: int, limit: int) -> int:
    """Remove revisions whose passages are gone, and documents without any; say how many revisions went."""
    rows = connection.execute(_REVISIONS, {"version": number, "limit": limit}).all()
    ids = [row.id for row in rows]
    connection.execute(delete(version_revision).where(version_revision.c.revision.in_(ids)))
    connection.execute(delete(revision).where(revision.c.id.in_(ids)))
    connection.execute(_DOCUMENTS, {"documents": [row.document for row in rows]})
    return len(rows)


def remove_counts(connection: Connection, *, tenant: str, number: int, limit: int) -> int:
    """Remove what was counted and noted of a version; say how many counts went."""
    for removing in _OF_VERSION:
        connection.execute(removing, {"version": number})
    return connection.execute(_FREQUENCIES, {"tenant": tenant, "version": number, "limit": limit}).rowcount


def mark_clean(connection: Connection, *, number: int) -> bool:
    """Note that nothing of a version is left; say whether that is so."""
    held = select(version_revision.c.revision).where(version_revision.c.version == number)
    cleaning = update(version).where(version.c.number == number, ~held.exists())
    return connection.execute(cleaning.values(cleaned_at=func.clock_timestamp())).rowcount == 1
