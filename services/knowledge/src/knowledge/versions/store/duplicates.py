"""Passages of a version that say the same, or nearly: found by common numbers, measured, kept as a bounded list."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, delete, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.tables.imports import passage_duplicate
from knowledge.tables.versions import version

# Every passage of a group is paired with its first, so that the work grows with the passages and not with their
# square. Revisions of one document follow each other and are alike on purpose.
_CANDIDATES: Final = text("""
    WITH member AS MATERIALIZED (
        SELECT passage.id, passage.bands, md5(passage.text) AS text_md5, revision.document, revision.id AS revision
        FROM version_revision
        JOIN revision ON revision.id = version_revision.revision
        JOIN passage ON passage.revision = revision.id
        WHERE version_revision.version = :version
    ),
    grouped AS (
        SELECT id, first_value(id) OVER (PARTITION BY text_md5 ORDER BY id) AS first FROM member
        UNION
        SELECT id, first_value(id) OVER (PARTITION BY band.place, band.number ORDER BY id) AS first
        FROM member, unnest(bands) WITH ORDINALITY AS band (number, place)
    ),
    pair AS (
        SELECT grouped.first, grouped.id
        FROM grouped
        JOIN member AS one ON one.id = grouped.first
        JOIN member AS other ON other.id = grouped.id
        WHERE grouped.first <> grouped.id AND (one.document <> other.document OR one.revision = other.revision)
        ORDER BY grouped.first, grouped.id
        LIMIT :limit
    )
    SELECT pair.first, pair.id AS other, one.text AS first_text, other.text AS other_text
    FROM pair
    JOIN passage AS one ON one.id = pair.first
    JOIN passage AS other ON other.id = pair.id
""")

# What is withdrawn is shown nowhere, as with hints of conflicts.
_DUPLICATES: Final = text("""
    SELECT passage_duplicate.ordinal, passage_duplicate.similarity,
           one_document.slug AS one_slug, one_revision.title AS one_title, one_revision.label AS one_label,
           one.heading_path AS one_heading_path, one.text AS one_text,
           other_document.slug AS other_slug, other_revision.title AS other_title, other_revision.label AS other_label,
           other.heading_path AS other_heading_path, other.text AS other_text
    FROM passage_duplicate
    JOIN passage AS one ON one.id = passage_duplicate.passage
    JOIN revision AS one_revision ON one_revision.id = one.revision
    JOIN document AS one_document ON one_document.id = one_revision.document
    JOIN passage AS other ON other.id = passage_duplicate.other
    JOIN revision AS other_revision ON other_revision.id = other.revision
    JOIN document AS other_document ON other_document.id = other_revision.document
    WHERE passage_duplicate.version = :version AND passage_duplicate.ordinal > :after AND NOT EXISTS (
        SELECT FROM withdrawal
        WHERE (withdrawal.document, withdrawal.content_sha256)
              IN ((one_revision.document, one_revision.content_sha256),
                  (other_revision.document, other_revision.content_sha256)))
    ORDER BY passage_duplicate.ordinal
    LIMIT :limit
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Two passages that may be alike."""

    first: UUID
    other: UUID
    first_text: str
    other_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate:
    """Two passages that are alike, by their ids."""

    first: UUID
    other: UUID
    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedPassage:
    """A passage with where it stands."""

    slug: str
    title: str
    label: str
    heading_path: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedDuplicate:
    """Two passages that are alike, as an owner sees them."""

    ordinal: int
    similarity: float
    one: PlacedPassage
    other: PlacedPassage


def candidates(connection: Connection, *, number: int, limit: int) -> list[Candidate]:
    """Find passages of a version that may be alike, at most so many pairs."""
    # Without statistics of a new tenant the planner would pair every row of the version with every other.
    connection.execute(text("SET LOCAL enable_nestloop = off"))
    rows = connection.execute(_CANDIDATES, {"version": number, "limit": limit})
    return [Candidate(**row) for row in rows.mappings()]


def store_duplicates(connection: Connection, *, tenant: str, number: int, found: Sequence[Duplicate]) -> None:
    """Keep what was found, in this order. Repeat: the list is replaced."""
    connection.execute(delete(passage_duplicate).where(passage_duplicate.c.version == number))
    rows = [
        {"tenant": tenant, "version": number, "ordinal": ordinal}
        | {"passage": each.first, "other": each.other, "similarity": each.similarity}
        for ordinal, each in enumerate(found, 1)
    ]
    if rows:
        connection.execute(insert(passage_duplicate), rows)
    connection.execute(update(version).where(version.c.number == number).values(duplicates=len(rows)))


async def list_duplicates(connection: AsyncConnection, *, number: int, after: int, limit: int) -> list[ListedDuplicate]:
    """List passages of a version that are alike, the most alike first, after an ordinal."""
    rows = await connection.execute(_DUPLICATES, {"version": number, "after": after, "limit": limit})
    return [
        ListedDuplicate(
            ordinal=row.ordinal,
            similarity=row.similarity,
            one=PlacedPassage(
                slug=row.one_slug,
                title=row.one_title,
                label=row.one_label,
                heading_path=tuple(row.one_heading_path),
                text=row.one_text,
            ),
            other=PlacedPassage(
                slug=row.other_slug,
                title=row.other_title,
                label=row.other_label,
                heading_path=tuple(row.other_heading_path),
                text=row.other_text,
            ),
        )
        for row in rows
    ]
