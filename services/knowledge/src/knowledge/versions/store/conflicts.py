"""What a worker compares for contradictions in a version, and the hints it leaves."""

from collections.abc import Iterable, Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, delete, func, insert, select, text, update

from knowledge.tables.versions import conflict_dismissal, conflict_hint
from knowledge.tables.versions import version as version_table
from knowledge.versions.version import MOST_CONFLICTS

# Withdrawn texts and rules that have ended contradict nothing.
_HEADED: Final = """
    SELECT passage.id AS passage_id, revision.document, revision.language, revision.priority,
           coalesce(passage.heading_path[array_upper(passage.heading_path, 1)], revision.title) AS heading,
           audience.segments, coalesce(passage.applies_to, revision.applies_to) AS applies_to, {is_new} AS is_new
    FROM version_revision
    JOIN revision ON revision.id = version_revision.revision
    JOIN passage ON passage.revision = revision.id
    JOIN audience ON audience.id = revision.audience_id
    WHERE version_revision.version = :version AND revision.in_force_until > (SELECT built_day FROM version WHERE number = :version)
      AND NOT EXISTS (SELECT FROM withdrawal WHERE withdrawal.document = revision.document
                      AND withdrawal.content_sha256 = revision.content_sha256)
      {condition}
    ORDER BY passage.id
    LIMIT :limit
"""
_IS_NEW: Final = """NOT EXISTS (SELECT FROM version_revision AS held
                       WHERE held.version = CAST(:base AS integer) AND held.revision = version_revision.revision)"""
_ALL: Final = text(_HEADED.format(is_new=_IS_NEW, condition=""))
_NEW: Final = text(_HEADED.format(is_new="true", condition=f"AND {_IS_NEW}"))
_LISTED: Final = text(_HEADED.format(is_new="false", condition="AND passage.id = ANY(CAST(:ids AS uuid[]))"))

_FREQUENCIES: Final = text("""
    SELECT term, passages FROM term_frequency WHERE version = :version AND term = ANY(CAST(:terms AS bigint[]))
""")

# Passages that hold so many of the terms of one sentence, of those that a version shares with the one before it.
_ALIKE: Final = text("""
    SELECT DISTINCT alike.passage
    FROM (SELECT posting.passage
          FROM unnest(CAST(:sentences AS integer[]), CAST(:terms AS bigint[]), CAST(:fewest AS integer[]))
               AS wanted (sentence, term, fewest)
          JOIN posting ON posting.tenant = :tenant AND posting.term = wanted.term
          GROUP BY wanted.sentence, wanted.fewest, posting.passage
          HAVING count(*) >= wanted.fewest) AS alike
    JOIN passage ON passage.id = alike.passage
    JOIN version_revision AS ours ON ours.version = :version AND ours.revision = passage.revision
    JOIN version_revision AS theirs ON theirs.version = :base AND theirs.revision = passage.revision
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
_OPENED_AGAIN: Final = text("""
    SELECT (SELECT count(*) FROM conflict_hint WHERE conflict_hint.version = :base) >= :most
           AND EXISTS (SELECT FROM conflict_dismissal AS dismissal
                       JOIN version AS before ON before.number = :base AND dismissal.dismissed_at > before.staged_at
                       JOIN version AS building ON building.number = :version
                                               AND dismissal.dismissed_at < building.created_at)
""")

_TEXTS: Final = text("""
    SELECT passage.id AS passage_id, passage.text, revision.effective_from, revision.effective_to
    FROM passage JOIN revision ON revision.id = passage.revision
    WHERE passage.id = ANY(CAST(:ids AS uuid[]))
""")


def is_opened_again(connection: Connection, *, base: int, version: int) -> bool:
    """Say whether pairs were dismissed from the full list of `base` before a version was begun: further ones come up."""
    asked = {"base": base, "version": version, "most": MOST_CONFLICTS}
    return bool(connection.execute(_OPENED_AGAIN, asked).scalar_one())


def count_dismissed(connection: Connection) -> int:
    """Count the pairs that owners let stand."""
    return int(connection.execute(select(func.count()).select_from(conflict_dismissal)).scalar_one())


def headings(connection: Connection, *, version: int, base: int | None, limit: int) -> list[dict[str, Any]]:
    """List passages that can serve: document, language, priority, last heading, readers, cases, and whether `base` does not hold it."""
    rows = connection.execute(_ALL, {"version": version, "base": base, "limit": limit})
    return [dict(row) for row in rows.mappings()]


def new_headings(connection: Connection, *, version: int, base: int | None, limit: int) -> list[dict[str, Any]]:
    """List in the same way those that `base` does not hold, which without one are all."""
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


def alike(
    connection: Connection, *, tenant: str, version: int, base: int, wanted: Sequence[tuple[Sequence[int], int]]
) -> set[UUID]:
    """Give the passages of both versions that hold enough of the terms of any sentence; each comes with how many that is."""
    flat = [(place, term, fewest) for place, (terms, fewest) in enumerate(wanted) for term in terms]
    columns = {
        "sentences": [place for place, _, _ in flat],
        "terms": [term for _, term, _ in flat],
        "fewest": [fewest for _, _, fewest in flat],
    }
    asked = {"tenant": tenant, "version": version, "base": base}
    return set(connection.execute(_ALIKE, asked | columns).scalars())


def is_partial(connection: Connection, *, version: int) -> bool:
    """Say whether a version was compared in part only, as far as it is known."""
    asked = select(version_table.c.conflicts_partial).where(version_table.c.number == version)
    return bool(connection.execute(asked).scalar_one())


def note_partial(connection: Connection, *, version: int, partial: bool) -> None:
    """Note how a version was compared. Repeat: the newer one stays."""
    noting = update(version_table).where(version_table.c.number == version).values(conflicts_partial=partial)
    connection.execute(noting)


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
