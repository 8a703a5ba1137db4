"""The vectors of a second arm, which come after the index of a version and before its counts."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from pgvector import HalfVector
from sqlalchemy import Connection, text

from knowledge.ingestion.embedding import Vector
from knowledge.ingestion.jobs import PendingPassage
from knowledge.tables.index import second_vectors

_UNARMED: Final = """
    SELECT passage.id, passage.revision, revision.title, passage.heading_path, passage.text
    FROM version_revision
    JOIN revision ON revision.tenant = :tenant AND revision.id = version_revision.revision
    JOIN passage ON passage.tenant = :tenant AND passage.revision = version_revision.revision
    WHERE version_revision.tenant = :tenant AND version_revision.version = :version
      AND version_revision.revision >= coalesce(CAST(:reached AS uuid), '00000000-0000-0000-0000-000000000000')
      AND NOT EXISTS (SELECT FROM {table} AS vectors
                      WHERE vectors.tenant = :tenant AND vectors.arm = :arm AND vectors.passage = passage.id)
    ORDER BY version_revision.revision, passage.ordinal
    LIMIT :limit
"""

_ONE_BY_ONE: Final = text(
    "SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)"
)

_STORE: Final = """
    INSERT INTO {table} (tenant, arm, passage, embedding) VALUES (:tenant, :arm, :passage, CAST(:embedding AS halfvec))
    ON CONFLICT DO NOTHING
"""

_MARK: Final = text("UPDATE version SET second_embedder = :arm WHERE number = :version AND state = 'DRAFT'")


_COUNT_AUDIENCES: Final = text("""
    INSERT INTO version_audience (tenant, version, audience_id, passages)
    SELECT :tenant, :version, passage.audience_id, count(*)
    FROM version_revision
    JOIN passage ON passage.tenant = :tenant AND passage.revision = version_revision.revision
    WHERE version_revision.tenant = :tenant AND version_revision.version = :version
    GROUP BY passage.audience_id
    ON CONFLICT DO NOTHING
""")


def table_of(dimension: int) -> str:
    """Name the table of vectors with so many numbers."""
    return second_vectors[dimension].name


def unarmed_passages(  # noqa: PLR0913 - one keyword a condition
    connection: Connection,
    *,
    tenant: str,
    version: int,
    arm: str,
    dimension: int,
    reached: UUID | None,
    limit: int,
) -> list[tuple[UUID, PendingPassage]]:
    """List passages of a version that have no vector of this arm yet, each with its revision, in the order of these.

    Up to the revision that is `reached` all have one.
    """
    asked = {"tenant": tenant, "version": version, "arm": arm, "reached": reached, "limit": limit}
    # In this order a step begins where the last one ended; a join of everything with everything would begin anew.
    connection.execute(_ONE_BY_ONE)
    rows = connection.execute(text(_UNARMED.format(table=table_of(dimension))), asked)
    return [
        (
            row.revision,
            PendingPassage(passage_id=row.id, title=row.title, heading_path=tuple(row.heading_path), text=row.text),
        )
        for row in rows
    ]


def store_arm(connection: Connection, *, tenant: str, arm: str, dimension: int, vectors: Mapping[UUID, Vector]) -> None:
    """Store the vectors of passages. Repeat: those that exist stay."""
    rows = [
        {"tenant": tenant, "arm": arm, "passage": passage_id, "embedding": HalfVector(vector).to_text()}
        for passage_id, vector in vectors.items()
    ]
    if rows:
        connection.execute(text(_STORE.format(table=table_of(dimension))), rows)


def mark_arm(connection: Connection, *, version: int, arm: str) -> None:
    """Say that a draft version has the vectors of this arm."""
    connection.execute(_MARK, {"version": version, "arm": arm})


def count_audiences(connection: Connection, *, tenant: str, version: int) -> None:
    """Count how many passages of a version each audience holds. Repeat: what is counted stays."""
    connection.execute(_COUNT_AUDIENCES, {"tenant": tenant, "version": version})
