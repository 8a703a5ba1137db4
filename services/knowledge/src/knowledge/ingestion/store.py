"""What a worker reads and writes while it builds a version. Every write can be repeated."""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import accumulate
from typing import Any, Final
from uuid import UUID

import numpy as np
from pgvector import HalfVector
from pgvector.psycopg.halfvec import HalfVectorBinaryDumper
from psycopg.types import TypeInfo
from psycopg.types.array import ListBinaryDumper
from sqlalchemy import Connection, Row, func, select, text, update

from contracts.ids import IdSource
from knowledge.ingestion.analyser import K1, B
from knowledge.ingestion.embedding import Vector
from knowledge.ingestion.jobs import (
    LEASE_SECONDS,
    NOTHING,
    CutPassage,
    IndexedSentence,
    Job,
    LostLeaseError,
    PendingPassage,
    Progress,
    Step,
    StoredRevision,
)
from knowledge.tables.documents import revision
from knowledge.tables.imports import import_job
from knowledge.tables.index import passage
from knowledge.tables.versions import version_revision

_LEASED: Final = text(f"clock_timestamp() + interval '{LEASE_SECONDS} seconds'")
# Long enough for the next task to arrive, short enough that a lost one is not missed.
_HANDED_ON: Final = text("clock_timestamp() + interval '5 seconds'")

# Terms are weighed by BM25 without their rarity, which a question brings along. In the order of the index they are
# written at one place of it after the other. No conflict is looked for: only the holder of the lease writes.
_INSERT_POSTINGS: Final = text(f"""
    INSERT INTO posting (tenant, term, passage, impact)
    SELECT :tenant, counted.term, passage.id,
           counted.number * {K1 + 1} / (counted.number + {K1} * ({1 - B} + {B} * passage.terms / analyser_build.average_length))
    FROM passage
    JOIN analyser_build ON analyser_build.analyser = :analyser
    CROSS JOIN LATERAL unnest(passage.term_ids, passage.term_counts) AS counted (term, number)
    WHERE passage.id = ANY(CAST(:ids AS uuid[]))
    ORDER BY counted.term
""")  # noqa: S608 - numbers of the analyser

# Both walk an index of what waits and look each row's membership up by itself. As a join, the planner pairs every row
# with every other as long as it has no statistics of a tenant that is new.
_UNSPLIT: Final = text("""
    SELECT revision.id, length(revision.source) AS characters
    FROM revision
    WHERE revision.state = 'RECEIVED' AND (
        SELECT true FROM version_revision
        WHERE version_revision.version = :version AND version_revision.revision = revision.id)
    ORDER BY revision.id
    LIMIT :limit
""")

_UNINDEXED: Final = text("""
    SELECT passage.id, passage.revision, passage.heading_path, passage.text
    FROM passage
    WHERE NOT passage.indexed AND (
        SELECT true FROM version_revision
        WHERE version_revision.version = :version AND version_revision.revision = passage.revision)
    ORDER BY passage.revision
    LIMIT :limit
""")

# An array is one parameter, so that a statement is the same for every number of rows and need not be read anew.
_SOURCES: Final = text("""
    SELECT id, title, source, page_lines FROM revision WHERE id = ANY(CAST(:ids AS uuid[])) ORDER BY id
""")
_TITLES: Final = text("SELECT id, title FROM revision WHERE id = ANY(CAST(:ids AS uuid[]))")
_MARK_SPLIT: Final = text("UPDATE revision SET state = 'SPLIT' WHERE id = ANY(CAST(:ids AS uuid[]))")
_MARK_INDEXED: Final = text("""
    UPDATE passage SET indexed = true, term_ids = NULL, term_counts = NULL WHERE id = ANY(CAST(:ids AS uuid[]))
""")
# As bytes: a vector that travels as text costs a tenth of a millisecond to read.
_CACHED: Final = text("""
    SELECT text_sha256, halfvec_send(embedding) AS embedding FROM vector_cache
    WHERE embedder = :embedder AND text_sha256 = ANY(CAST(:hashes AS text[]))
""")

_IS_CACHED: Final = text("""
    SELECT text_sha256 FROM vector_cache WHERE embedder = :embedder AND text_sha256 = ANY(CAST(:hashes AS text[]))
""")

_CACHE_VECTORS: Final = text("""
    INSERT INTO vector_cache (tenant, embedder, text_sha256, embedding)
    SELECT :tenant, :embedder, listed.hash, listed.embedding
    FROM unnest(CAST(:hashes AS text[]), CAST(:embeddings AS halfvec[])) AS listed (hash, embedding)
    ON CONFLICT DO NOTHING
""")

_INSERT_VECTORS: Final = text("""
    INSERT INTO passage_vector (tenant, passage, embedding, hot)
    SELECT :tenant, listed.passage, listed.embedding, false
    FROM unnest(CAST(:passages AS uuid[]), CAST(:embeddings AS halfvec[])) AS listed (passage, embedding)
    ON CONFLICT DO NOTHING
""")

_INSERT_SENTENCES: Final = text("""
    INSERT INTO sentence (tenant, passage, ordinal, text_start, text_end, embedding)
    SELECT :tenant, listed.passage, listed.ordinal, listed.text_start, listed.text_end, listed.embedding
    FROM unnest(CAST(:passages AS uuid[]), CAST(:ordinals AS integer[]), CAST(:starts AS integer[]),
                CAST(:ends AS integer[]), CAST(:embeddings AS halfvec[]))
        AS listed (passage, ordinal, text_start, text_end, embedding)
    ON CONFLICT DO NOTHING
""")

_BEFORE_NUMBERS: Final = 4
_IS_BINARY: Final = "sends halfvec as bytes"

# The days come from the revision in SQL: an open side is an infinite date, which Python does not have. Arrays of arrays
# have to be rectangular, so the rows travel as JSON.
_INSERT_PASSAGES: Final = text("""
    INSERT INTO passage (tenant, id, revision, ordinal, heading_path, text, source_start, source_end, audience_id,
                         in_force_from, in_force_until, language, terms, page, line, applies_to, bands, term_ids,
                         term_counts)
    SELECT revision.tenant, listed.id, revision.id, listed.ordinal, listed.heading_path, listed.text,
           listed.source_start, listed.source_end, revision.audience_id, revision.in_force_from,
           revision.in_force_until, revision.language, listed.terms, listed.page, listed.line, listed.applies_to,
           listed.bands, listed.term_ids, listed.term_counts
    FROM json_to_recordset(CAST(:listed AS json)) AS listed (
        id uuid, revision uuid, ordinal integer, heading_path text[], text text, source_start integer,
        source_end integer, terms integer, page integer, line integer, applies_to text, bands bigint[],
        term_ids bigint[], term_counts integer[])
    JOIN revision ON revision.id = listed.revision
    ON CONFLICT DO NOTHING
""")

# Statistics that do not know a tenant yet make one row of all its passages, and loops over its postings of them.
_BY_HASH: Final = text("SELECT set_config('enable_nestloop', 'off', true)")

_COUNT_TERMS: Final = text("""
    INSERT INTO term_frequency (tenant, version, term, passages)
    SELECT :tenant, :version, posting.term, count(*)
    FROM version_revision
    JOIN passage ON passage.tenant = :tenant AND passage.revision = version_revision.revision
    JOIN posting ON posting.tenant = :tenant AND posting.passage = passage.id
    WHERE version_revision.tenant = :tenant AND version_revision.version = :version
      AND passage.in_force_until > :day AND posting.term BETWEEN :first AND :last
    GROUP BY posting.term
    ON CONFLICT DO NOTHING
""")

# The average length is frozen with the first import of a tenant, so that a posting's impact never changes.
_AVERAGE: Final = text("""
    INSERT INTO analyser_build (tenant, analyser, average_length)
    SELECT :tenant, :analyser, greatest(coalesce(avg(passage.terms), 1), 1)
    FROM version_revision
    JOIN passage ON passage.tenant = :tenant AND passage.revision = version_revision.revision
    WHERE version_revision.tenant = :tenant AND version_revision.version = :version
    ON CONFLICT DO NOTHING
""")


class _Vectors(list[HalfVector]):
    """Half vectors that travel as bytes; a plain list travels as text."""


def claim(connection: Connection, import_id: UUID, *, lease_token: UUID) -> Job | None:
    """Take the lease of a running import; None when it is taken or the import is not running."""
    columns = import_job.c
    claiming = (
        update(import_job)
        .where(
            columns.id == import_id,
            columns.state == "RUNNING",
            columns.lease_token.is_(None) | (columns.lease_until < func.clock_timestamp()),
        )
        .values(lease_token=lease_token, lease_until=_LEASED, tries=columns.tries + 1)
        .returning(import_job)
    )
    row = connection.execute(claiming).one_or_none()
    return None if row is None else _job(row)


def hold(connection: Connection, job: Job) -> None:
    """Lock a job before its version is written: whoever discards an import takes the two in this order.

    Errors: LostLeaseError.
    """
    columns = import_job.c
    mine = select(columns.id).where(columns.id == job.import_id, columns.lease_token == job.lease_token)
    if connection.execute(mine.with_for_update()).one_or_none() is None:
        raise LostLeaseError


def hand_on(  # noqa: PLR0913 - one keyword a column
    connection: Connection,
    job: Job,
    *,
    step: Step,
    slices_done: int = 0,
    reached: UUID | None = None,
    progress: Progress = NOTHING,
) -> None:
    """Move a job on and give its lease back. Errors: LostLeaseError, which rolls everything of this step back."""
    columns = import_job.c
    vectors = columns.vectors + progress.vectors
    counted: dict[str, Any] = {  # ids, numbers and expressions
        "slices_done": slices_done,
        "reached": reached,
        "files_read": columns.files_read + progress.files,
        "passages": columns.passages + progress.passages,
        "vectors": vectors,
    }
    if step != job.step:
        counted |= {"step_began_at": func.clock_timestamp(), "step_vectors": vectors}
    moving = (
        update(import_job)
        .where(columns.id == job.import_id, columns.lease_token == job.lease_token)
        .values(step=step, tries=0, lease_token=None, lease_until=_HANDED_ON, **counted)
    )
    if connection.execute(moving).rowcount != 1:
        raise LostLeaseError


def go_on(connection: Connection, job: Job, *, progress: Progress) -> None:
    """Note what the holder of a lease has done in the middle of a step, and let it hold on. Errors: LostLeaseError."""
    columns = import_job.c
    going_on = (
        update(import_job)
        .where(columns.id == job.import_id, columns.lease_token == job.lease_token)
        .values(vectors=columns.vectors + progress.vectors, lease_until=_LEASED)
    )
    if connection.execute(going_on).rowcount != 1:
        raise LostLeaseError


def unsplit_revisions(connection: Connection, *, version: int, limit: int, characters: int) -> list[StoredRevision]:
    """List revisions of a version that have no passages yet: the first always, further ones while all are this short."""
    waiting = connection.execute(_UNSPLIT, {"version": version, "limit": limit}).all()
    ends = accumulate(row.characters for row in waiting)
    ids = [row.id for row, end in zip(waiting, ends, strict=True) if end - row.characters < characters]
    return [
        StoredRevision(revision_id=row.id, title=row.title, source=row.source, page_lines=tuple(row.page_lines))
        for row in connection.execute(_SOURCES, {"ids": ids})
    ]


def store_passages(connection: Connection, cut: Mapping[UUID, Sequence[CutPassage]], *, new_id: IdSource) -> None:
    """Store the passages of revisions. Repeat: those that exist stay."""
    rows = [
        {
            "revision": str(revision_id),
            "id": str(new_id()),
            "ordinal": ordinal,
            "heading_path": each.draft.heading_path,
            "text": each.draft.text,
            "source_start": each.draft.start,
            "source_end": each.draft.end,
            "terms": sum(each.counts.values()),
            "term_ids": list(each.counts),
            "term_counts": list(each.counts.values()),
            "page": each.draft.page,
            "line": each.draft.line,
            "applies_to": each.draft.applies_to,
            "bands": each.bands,
        }
        for revision_id, passages in cut.items()
        for ordinal, each in enumerate(passages)
    ]
    connection.execute(_INSERT_PASSAGES, {"listed": json.dumps(rows, ensure_ascii=False)})
    connection.execute(_MARK_SPLIT, {"ids": list(cut)})


def freeze_average_length(connection: Connection, *, tenant: str, analyser: str, version: int) -> None:
    """Measure the average length of a passage. Repeat: the first measure stays, so that impacts never change."""
    connection.execute(_BY_HASH)
    connection.execute(_AVERAGE, {"tenant": tenant, "analyser": analyser, "version": version})


def unindexed_passages(connection: Connection, *, version: int, limit: int) -> list[PendingPassage]:
    """List passages of a version that no search can find yet."""
    waiting = connection.execute(_UNINDEXED, {"version": version, "limit": limit}).all()
    named = connection.execute(_TITLES, {"ids": list({row.revision for row in waiting})})
    titles: dict[UUID, str] = {row.id: row.title for row in named}
    return [
        PendingPassage(
            passage_id=row.id, title=titles[row.revision], heading_path=tuple(row.heading_path), text=row.text
        )
        for row in waiting
    ]


def cached_vectors(connection: Connection, *, embedder: str, hashes: Sequence[str]) -> dict[str, Vector]:
    """Give the vectors that are known already, by the hash of the embedded string."""
    known = connection.execute(_CACHED, {"embedder": embedder, "hashes": list(hashes)})
    return {row.text_sha256: _vector(row.embedding) for row in known}


def cached_hashes(connection: Connection, *, embedder: str, hashes: Sequence[str]) -> set[str]:
    """Say of which of these the vector is known."""
    return set(connection.execute(_IS_CACHED, {"embedder": embedder, "hashes": list(hashes)}).scalars())


def cache_vectors(connection: Connection, *, tenant: str, embedder: str, vectors: Mapping[str, Vector]) -> None:
    """Remember vectors by the hash of the embedded string. Repeat: those that exist stay."""
    if not vectors:
        return
    _send_binary(connection)
    cached = {"hashes": list(vectors), "embeddings": _Vectors(HalfVector(vector) for vector in vectors.values())}
    connection.execute(_CACHE_VECTORS, {"tenant": tenant, "embedder": embedder, **cached})


def store_index(
    connection: Connection, job: Job, *, tenant: str, analyser: str, vectors: Mapping[UUID, Vector]
) -> None:
    """Store what passages are found by, their terms as they were counted and these vectors; the job goes on.

    Errors: LostLeaseError, before anything is written.
    """
    go_on(connection, job, progress=Progress(vectors=len(vectors)))
    _send_binary(connection)
    ids = list(vectors)
    connection.execute(_INSERT_POSTINGS, {"tenant": tenant, "analyser": analyser, "ids": ids})
    embeddings = _Vectors(HalfVector(vector) for vector in vectors.values())
    connection.execute(_INSERT_VECTORS, {"tenant": tenant, "passages": ids, "embeddings": embeddings})
    connection.execute(_MARK_INDEXED, {"ids": ids})


def store_sentences(connection: Connection, *, tenant: str, indexed: Sequence[IndexedSentence]) -> None:
    """Store sentences: those of a passage together, so that a search finds all or none. Repeat: what exists stays."""
    _send_binary(connection)
    columns = {
        "passages": [each.passage_id for each in indexed],
        "ordinals": [each.ordinal for each in indexed],
        "starts": [each.span.start for each in indexed],
        "ends": [each.span.end for each in indexed],
        "embeddings": _Vectors(HalfVector(each.vector) for each in indexed),
    }
    connection.execute(_INSERT_SENTENCES, {"tenant": tenant, **columns})


def count_terms(connection: Connection, *, tenant: str, version: int, day: date, term_range: tuple[int, int]) -> None:
    """Count in how many servable passages each term of a range stands. Repeat: what is counted stays."""
    first, last = term_range
    connection.execute(_BY_HASH)
    connection.execute(_COUNT_TERMS, {"tenant": tenant, "version": version, "day": day, "first": first, "last": last})


def sample_passages(connection: Connection, *, version: int, limit: int) -> list[PendingPassage]:
    """Give passages spread over a version, always the same ones: what it is calibrated with."""
    columns = passage.c
    spread = (
        select(columns.id, columns.heading_path, columns.text, revision.c.title)
        .join(revision, revision.c.id == columns.revision)
        .join(version_revision, version_revision.c.revision == columns.revision)
        .where(version_revision.c.version == version)
        .order_by(func.md5(columns.text), columns.id)
        .limit(limit)
    )
    return [
        PendingPassage(passage_id=row.id, title=row.title, heading_path=tuple(row.heading_path), text=row.text)
        for row in connection.execute(spread)
    ]


def _send_binary(connection: Connection) -> None:
    """Teach the connection, once in its life, to send half vectors as bytes: as text one costs fifty times as much."""
    if _IS_BINARY in connection.info:
        return
    driver: Any = connection.connection.driver_connection  # psycopg's, which SQLAlchemy does not type
    fetch: Any = TypeInfo.fetch  # overloaded over drivers
    known = fetch(driver, "halfvec")
    known.register(driver)
    driver.adapters.register_dumper(HalfVector, type("_Bytes", (HalfVectorBinaryDumper,), {"oid": known.oid}))
    driver.adapters.register_dumper(_Vectors, ListBinaryDumper)
    connection.info[_IS_BINARY] = True


def _job(row: Row[Any]) -> Job:  # a whole row of the table
    return Job(
        import_id=row.id,
        step=Step(row.step),
        additive=row.additive,
        faulty=row.faulty,
        routing_policy=row.routing_policy,
        version=row.version,
        passages=row.passages,
        slices_done=row.slices_done,
        reached=row.reached,
        tries=row.tries,
        created_by=row.created_by,
        lease_token=row.lease_token,
    )


def _vector(sent: bytes) -> Vector:
    """Read a half vector as the database sends it: its dimension and a number that is unused, then its numbers."""
    return np.frombuffer(sent, dtype=">f2", offset=_BEFORE_NUMBERS).astype(np.float32)
