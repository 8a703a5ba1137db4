"""Passages of a version that say the same, or nearly: found by common numbers, measured, kept as a bounded list."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, delete, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.tables.imports import passage_duplicate, passage_pair
from knowledge.tables.versions import version

# Every passage of a group is paired with its first, so that the work grows with the passages and not with their
# square. Revisions of one document follow each other and are alike on purpose. Place 0 stands for the whole text.
_PAIRS: Final = text("""
    INSERT INTO passage_pair (tenant, version, passage, other)
    WITH member AS MATERIALIZED (
        SELECT passage.id, revision.document, revision.id AS revision,
               CASE WHEN :place = 0 THEN CAST(CAST('x' || left(md5(passage.text), 16) AS bit(64)) AS bigint)
                    ELSE passage.bands[:place] END AS number
        FROM version_revision
        JOIN revision ON revision.id = version_revision.revision
        JOIN passage ON passage.revision = revision.id
        WHERE version_revision.version = :version
    ),
    grouped AS (
        SELECT id, document, revision, first_value(id) OVER alike AS first,
               first_value(document) OVER alike AS first_document, first_value(revision) OVER alike AS first_revision
        FROM member
        WHERE number BETWEEN :lowest AND :highest
        WINDOW alike AS (PARTITION BY number ORDER BY id)
    )
    SELECT :tenant, :version, first, id
    FROM grouped
    WHERE first <> id AND (first_document <> document OR first_revision = revision)
    ORDER BY first, id
    LIMIT greatest(:most - (SELECT count(*) FROM passage_pair WHERE version = :version), 0)
    ON CONFLICT DO NOTHING
""")

_UNMEASURED: Final = text("""
    SELECT pair.passage AS first, pair.other FROM passage_pair AS pair
    WHERE pair.version = :version AND NOT EXISTS (
        SELECT FROM passage_likeness AS known
        WHERE known.tenant = :tenant AND known.measure = :measure
          AND known.passage = pair.passage AND known.other = pair.other)
    ORDER BY pair.passage, pair.other
    LIMIT :limit
""")
_TEXTS: Final = text("SELECT id, text FROM passage WHERE tenant = :tenant AND id = ANY(CAST(:ids AS uuid[]))")

# Without statistics of a new tenant the planner would pair every row with every other.
_BY_HASH: Final = text("SET LOCAL enable_nestloop = off")

_MEASURE: Final = text("""
    INSERT INTO passage_likeness (tenant, measure, passage, other, similarity)
    SELECT :tenant, :measure, listed.passage, listed.other, listed.similarity
    FROM unnest(CAST(:passages AS uuid[]), CAST(:others AS uuid[]), CAST(:similarities AS real[]))
        AS listed (passage, other, similarity)
    ON CONFLICT DO NOTHING
""")

# Every passage is listed once, beside the one it is most like.
_LIST: Final = text("""
    INSERT INTO passage_duplicate (tenant, version, ordinal, passage, other, similarity)
    SELECT :tenant, :version, row_number() OVER (ORDER BY similarity DESC, passage, other), passage, other, similarity
    FROM (SELECT DISTINCT ON (pair.other) pair.passage, pair.other, known.similarity
          FROM passage_pair AS pair
          JOIN passage_likeness AS known ON known.tenant = :tenant AND known.measure = :measure
                                        AND known.passage = pair.passage AND known.other = pair.other
          WHERE pair.version = :version AND known.similarity >= CAST(:alike AS real)
          ORDER BY pair.other, known.similarity DESC, pair.passage) AS closest
    ORDER BY similarity DESC, passage, other
    LIMIT :most
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


def find_pairs(  # noqa: PLR0913 - one keyword a condition
    connection: Connection, *, tenant: str, number: int, place: int, numbers: tuple[int, int], most: int
) -> None:
    """Note passages of a version that have a number in common: that of a band, or of the text at place 0.

    No more than `most` pairs of a version are noted. Repeat: those that are noted stay.
    """
    lowest, highest = numbers
    connection.execute(_BY_HASH)
    asked = {"tenant": tenant, "version": number, "place": place, "lowest": lowest, "highest": highest, "most": most}
    connection.execute(_PAIRS, asked)


def unmeasured_pairs(connection: Connection, *, tenant: str, number: int, measure: str, limit: int) -> list[Candidate]:
    """Give noted pairs that were not measured in this way yet, for whatever version."""
    asked = {"tenant": tenant, "version": number, "measure": measure, "limit": limit}
    connection.execute(_BY_HASH)
    pairs = connection.execute(_UNMEASURED, asked).all()
    ids = {each for pair in pairs for each in pair}
    found = connection.execute(_TEXTS, {"tenant": tenant, "ids": list(ids)})
    texts: dict[UUID, str] = {row.id: row.text for row in found}
    return [
        Candidate(first=pair.first, other=pair.other, first_text=texts[pair.first], other_text=texts[pair.other])
        for pair in pairs
        if pair.first in texts and pair.other in texts
    ]


def store_measures(connection: Connection, *, tenant: str, measure: str, measured: Sequence[Duplicate]) -> None:
    """Remember how alike pairs are. Repeat: what is known stays."""
    parameters: dict[str, Any] = {"tenant": tenant, "measure": measure}  # arrays of several types
    parameters |= {
        "passages": [each.first for each in measured],
        "others": [each.other for each in measured],
        "similarities": [each.similarity for each in measured],
    }
    connection.execute(_MEASURE, parameters)


def list_measured(  # noqa: PLR0913 - one keyword a condition
    connection: Connection, *, tenant: str, number: int, measure: str, alike: float, most: int
) -> None:
    """List the passages that are alike at least so much, and forget the pairs. Repeat: the list is replaced."""
    connection.execute(delete(passage_duplicate).where(passage_duplicate.c.version == number))
    asked = {"tenant": tenant, "version": number, "measure": measure, "alike": alike, "most": most}
    connection.execute(_BY_HASH)
    listed = connection.execute(_LIST, asked).rowcount
    connection.execute(delete(passage_pair).where(passage_pair.c.version == number))
    connection.execute(update(version).where(version.c.number == number).values(duplicates=listed))


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
