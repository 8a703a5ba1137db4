"""What a worker compares for contradictions in a version, and the hints it leaves."""

from collections.abc import Iterable, Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, delete, func, insert, select, text, update

from knowledge.tables.versions import conflict_dismissal, conflict_hint
from knowledge.tables.versions import version as version_table
from knowledge.versions.version import MOST_CONFLICTS

# Rules that have ended contradict nothing, and what was withdrawn when a version was compared is left out to its end.
_HEADED: Final = """
    SELECT passage.id AS passage_id, revision.document, revision.language, revision.priority,
           coalesce(passage.heading_path[array_upper(passage.heading_path, 1)], revision.title) AS heading,
           audience.segments, coalesce(passage.applies_to, revision.applies_to) AS applies_to, {is_new} AS is_new
    FROM {members}
    JOIN audience ON audience.id = revision.audience_id
    WHERE version_revision.version = :version AND revision.in_force_until > (SELECT built_day FROM version WHERE number = :version)
      AND NOT EXISTS (SELECT FROM conflict_omitted AS omitted
                      WHERE omitted.version = :version AND omitted.revision = version_revision.revision)
      {condition}
    ORDER BY passage.id
    LIMIT :limit
"""
_MEMBERS: Final = """version_revision
    JOIN revision ON revision.id = version_revision.revision
    JOIN passage ON passage.revision = revision.id
    LEFT JOIN (SELECT held.revision FROM version_revision AS held WHERE held.version = CAST(:base AS integer)
               EXCEPT SELECT omitted.revision FROM conflict_omitted AS omitted
               WHERE omitted.version = CAST(:base AS integer)) AS compared
           ON compared.revision = version_revision.revision
"""
_NAMED: Final = """unnest(CAST(:ids AS uuid[])) AS named (id)
    JOIN passage ON passage.id = named.id
    JOIN revision ON revision.id = passage.revision
    JOIN version_revision ON version_revision.revision = revision.id
"""
_ALL: Final = text(_HEADED.format(is_new="compared.revision IS NULL", members=_MEMBERS, condition=""))
_NEW: Final = text(_HEADED.format(is_new="true", members=_MEMBERS, condition="AND compared.revision IS NULL"))
_LISTED: Final = text(_HEADED.format(is_new="false", members=_NAMED, condition=""))

_OMIT: Final = text("""
    INSERT INTO conflict_omitted (tenant, version, revision)
    SELECT DISTINCT :tenant, version_revision.version, version_revision.revision
    FROM withdrawal
    JOIN revision ON revision.document = withdrawal.document AND revision.content_sha256 = withdrawal.content_sha256
    JOIN version_revision ON version_revision.revision = revision.id AND version_revision.version = :version
    ON CONFLICT DO NOTHING
""")

_FREQUENCIES: Final = text("""
    SELECT term, passages FROM term_frequency WHERE version = :version AND term = ANY(CAST(:terms AS bigint[]))
""")

# Passages that hold so many of the terms of one sentence, of those that a version shares with the one before it. Counted
# sentence by sentence, so that the counts of one fit into memory.
_ALIKE: Final = text("""
    SELECT wanted.sentence, alike.passage
    FROM (SELECT listed.sentence, listed.fewest, array_agg(listed.term) AS terms
          FROM unnest(CAST(:sentences AS integer[]), CAST(:terms AS bigint[]), CAST(:fewest AS integer[]))
               AS listed (sentence, term, fewest)
          GROUP BY listed.sentence, listed.fewest) AS wanted
    CROSS JOIN LATERAL (
        SELECT counted.passage
        FROM (SELECT posting.passage FROM posting
              WHERE posting.tenant = :tenant AND posting.term = ANY(wanted.terms)
              GROUP BY posting.passage HAVING count(*) >= wanted.fewest) AS counted
        JOIN passage ON passage.tenant = :tenant AND passage.id = counted.passage
        JOIN version_revision AS ours ON ours.version = :version AND ours.revision = passage.revision
        JOIN version_revision AS theirs ON theirs.version = :base AND theirs.revision = passage.revision
        LIMIT :limit) AS alike
""")

_KEPT: Final = text("""
    SELECT hint.passage, hint.text_start, hint.text_end, hint.other_passage, hint.other_start, hint.other_end
    FROM conflict_hint AS hint
    JOIN passage AS one ON one.id = hint.passage
    JOIN passage AS other ON other.id = hint.other_passage
    JOIN version_revision AS one_held ON one_held.revision = one.revision AND one_held.version = :version
    JOIN version_revision AS other_held ON other_held.revision = other.revision AND other_held.version = :version
    WHERE hint.version = CAST(:base AS integer)
    ORDER BY hint.ordinal
""")

# What does not change while a version is built: its steps go by the same groups.
_HAS_ROOM: Final = text("""
    SELECT listed.pairs >= :most AND (listed.pairs > :kept OR EXISTS (
               SELECT FROM conflict_dismissal AS dismissal
               JOIN version AS before ON before.number = :base AND dismissal.dismissed_at > before.created_at
               JOIN version AS building ON building.number = :version
                                       AND dismissal.dismissed_at < building.created_at))
    FROM (SELECT count(*) AS pairs FROM conflict_hint WHERE conflict_hint.version = :base) AS listed
""")

_TEXTS: Final = text("""
    SELECT passage.id AS passage_id, passage.text, revision.effective_from, revision.effective_to
    FROM passage JOIN revision ON revision.id = passage.revision
    WHERE passage.id = ANY(CAST(:ids AS uuid[]))
""")


def omit_withdrawn(connection: Connection, *, tenant: str, version: int) -> None:
    """Note which revisions of a version are withdrawn, so that they are compared once they are restored.

    Repeat: what has been noted stays.
    """
    connection.execute(_OMIT, {"tenant": tenant, "version": version})


def has_room(connection: Connection, *, base: int, version: int, kept: int) -> bool:
    """Say whether the list of `base` was full and there is room now: pairs are gone, or were dismissed before a version was begun."""
    asked = {"base": base, "version": version, "most": MOST_CONFLICTS, "kept": kept}
    return bool(connection.execute(_HAS_ROOM, asked).scalar_one())


def count_dismissed(connection: Connection) -> int:
    """Count the pairs that owners let stand."""
    return int(connection.execute(select(func.count()).select_from(conflict_dismissal)).scalar_one())


def headings(connection: Connection, *, version: int, base: int | None, limit: int) -> list[dict[str, Any]]:
    """List passages that can serve: document, language, priority, last heading, readers, cases, and whether `base` did not compare it."""
    rows = connection.execute(_ALL, {"version": version, "base": base, "limit": limit})
    return [dict(row) for row in rows.mappings()]


def new_headings(connection: Connection, *, version: int, base: int | None, limit: int) -> list[dict[str, Any]]:
    """List in the same way those that `base` did not compare, which without one are all."""
    rows = connection.execute(_NEW, {"version": version, "base": base, "limit": limit})
    return [dict(row) for row in rows.mappings()]


def headings_of(connection: Connection, *, version: int, ids: Sequence[UUID]) -> list[dict[str, Any]]:
    """List in the same way these passages, as far as they can serve."""
    rows = connection.execute(_LISTED, {"version": version, "ids": list(ids), "limit": len(ids)})
    return [dict(row) for row in rows.mappings()]


def term_frequencies(connection: Connection, *, version: int, terms: Sequence[int]) -> dict[int, int]:
    """Say in how many passages of a version each of these terms stands; what is absent stands in none."""
    rows = connection.execute(_FREQUENCIES, {"version": version, "terms": list(terms)})
    return {row.term: row.passages for row in rows}


def alike(  # noqa: PLR0913 - one keyword a condition
    connection: Connection,
    *,
    tenant: str,
    version: int,
    base: int,
    wanted: Sequence[tuple[Sequence[int], int]],
    limit: int,
) -> list[tuple[int, UUID]]:
    """Give passages of both versions that hold enough of the terms of a sentence, each with the sentence by its place.

    `wanted` has for each sentence its terms, and how many of them are enough; no sentence gets more than `limit`.
    """
    flat = [(place, term, fewest) for place, (terms, fewest) in enumerate(wanted) for term in terms]
    columns = {
        "sentences": [place for place, _, _ in flat],
        "terms": [term for _, term, _ in flat],
        "fewest": [fewest for _, _, fewest in flat],
    }
    asked = {"tenant": tenant, "version": version, "base": base, "limit": limit}
    return [(row.sentence, row.passage) for row in connection.execute(_ALIKE, asked | columns)]


def comparison_of(connection: Connection, *, version: int) -> tuple[str | None, bool]:
    """Say by what a version was compared, and whether in part only, as far as it is known."""
    columns = version_table.c
    asked = select(columns.comparer, columns.conflicts_partial).where(columns.number == version)
    row = connection.execute(asked).one()
    return row.comparer, bool(row.conflicts_partial)


def note_comparison(connection: Connection, *, version: int, comparer: str, partial: bool) -> None:
    """Note how a version was compared. Repeat: the newer one stays."""
    noting = update(version_table).where(version_table.c.number == version)
    connection.execute(noting.values(comparer=comparer, conflicts_partial=partial))


def spoken(connection: Connection, ids: Sequence[UUID]) -> dict[UUID, dict[str, Any]]:
    """Give the text and the days of passages by their id."""
    rows = connection.execute(_TEXTS, {"ids": list(ids)}).mappings()
    return {row["passage_id"]: {name: row[name] for name in row if name != "passage_id"} for row in rows}


def hints_of(connection: Connection, *, base: int | None, version: int) -> list[dict[str, Any]]:
    """Give the hints of a version before whose passages this one holds too."""
    rows = connection.execute(_KEPT, {"base": base, "version": version})
    return [dict(row) for row in rows.mappings()]


def store_hints(connection: Connection, *, tenant: str, version: int, places: Iterable[dict[str, Any]]) -> None:
    """Store pairs of sentences by their places. Repeat: those of before give way."""
    connection.execute(delete(conflict_hint).where(conflict_hint.c.version == version))
    rows = [{"tenant": tenant, "version": version, "ordinal": ordinal} | place for ordinal, place in enumerate(places)]
    if rows:
        connection.execute(insert(conflict_hint), rows)
