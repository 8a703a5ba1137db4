"""Pairs of sentences that seem to disagree, as owners and answers read them, and what owners have dismissed."""

from collections.abc import Sequence
from datetime import date
from typing import Any, Final
from uuid import UUID

from sqlalchemy import delete, func, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.tables.versions import conflict_dismissal
from knowledge.versions.acts import Acting
from knowledge.versions.conflicts import ConflictNotFoundError, Dismissal, KnownConflict, ListedConflict
from knowledge.versions.store.audit import record_act
from knowledge.versions.version import Side
from runtime.round_trips import Ask, listed

# Both sentences with their documents, in an order of their own: the same pair has one key in every version.
_PAIRS_OF: Final = r"""
    SELECT hint.version, hint.ordinal, hint.passage, hint.text_start, hint.text_end, hint.other_passage,
           hint.other_start, hint.other_end, one.slug, one.title, one.label, one.heading_path, one.sentence,
           other.slug AS other_slug, other.title AS other_title, other.label AS other_label,
           other.heading_path AS other_heading_path, other.sentence AS other_sentence, one.revision,
           other.revision AS other_revision,
           encode(sha256(convert_to(
               least((one.slug || E'\n' || one.sentence) COLLATE "C", (other.slug || E'\n' || other.sentence) COLLATE "C")
               || E'\x1f' ||
               greatest((one.slug || E'\n' || one.sentence) COLLATE "C", (other.slug || E'\n' || other.sentence) COLLATE "C"),
               'UTF8')), 'hex') AS pair_key
    FROM {hints} AS hint
    CROSS JOIN LATERAL (
        SELECT document.slug, revision.title, revision.label, passage.heading_path, revision.id AS revision,
               substr(passage.text, hint.text_start + 1, hint.text_end - hint.text_start) AS sentence
        FROM passage JOIN revision ON revision.id = passage.revision JOIN document ON document.id = revision.document
        WHERE passage.id IN (hint.passage)) AS one
    CROSS JOIN LATERAL (
        SELECT document.slug, revision.title, revision.label, passage.heading_path, revision.id AS revision,
               substr(passage.text, hint.other_start + 1, hint.other_end - hint.other_start) AS sentence
        FROM passage JOIN revision ON revision.id = passage.revision JOIN document ON document.id = revision.document
        WHERE passage.id IN (hint.other_passage)) AS other
"""
_PAIRS: Final = _PAIRS_OF.format(hints="conflict_hint")

_LISTED: Final = text(f"""
    SELECT pair.*, dismissal.reason, dismissal.dismissed_by, dismissal.dismissed_at
    FROM ({_PAIRS} WHERE hint.version = :version AND hint.ordinal > :after) AS pair
    LEFT JOIN conflict_dismissal AS dismissal ON dismissal.pair_key = pair.pair_key
    WHERE (dismissal.pair_key IS NULL OR NOT CAST(:only_open AS boolean)) AND NOT EXISTS (
        SELECT FROM revision JOIN withdrawal
          ON withdrawal.document = revision.document AND withdrawal.content_sha256 = revision.content_sha256
        WHERE revision.id IN (pair.revision, pair.other_revision))
    ORDER BY pair.ordinal
    LIMIT :limit
""")  # noqa: S608 - a statement above

# Every pair has to be hashed, so that each is looked at once, however many versions share it.
_OF_ANY_VERSION: Final = """(
        SELECT DISTINCT ON (passage, text_start, text_end, other_passage, other_start, other_end) conflict_hint.*
        FROM conflict_hint JOIN version ON version.number = conflict_hint.version
        WHERE version.state IN ('STAGED', 'EVALUATED', 'APPROVED', 'PUBLISHED', 'RETIRED'))"""
_IS_KNOWN: Final = text(f"""
    SELECT EXISTS (SELECT FROM ({_PAIRS_OF.format(hints=_OF_ANY_VERSION)}) AS pair WHERE pair.pair_key = :key)
""")  # noqa: S608 - as above

# Nearly always nothing is found, and planning the statement below takes longer than a whole search by words.
_MAY_STAND: Final = """
    SELECT EXISTS (SELECT FROM conflict_hint AS hint
                   WHERE hint.version = :version AND (hint.passage = ANY(CAST(:ids AS uuid[]))
                                                      OR hint.other_passage = ANY(CAST(:ids AS uuid[])))) AS may_stand
"""

# Of each pair the side that was found, and the other one where this customer may be answered from it on that day.
_STANDING: Final = text(f"""
    SELECT side.passage, side.text_start, side.text_end, side.other_passage, side.other_sentence
    FROM (
        SELECT pair.passage, pair.text_start, pair.text_end, pair.other_passage, pair.other_sentence, pair.pair_key
        FROM ({_PAIRS} WHERE hint.version = :version AND hint.passage = ANY(CAST(:ids AS uuid[]))) AS pair
        UNION ALL
        SELECT pair.other_passage, pair.other_start, pair.other_end, pair.passage, pair.sentence, pair.pair_key
        FROM ({_PAIRS} WHERE hint.version = :version AND hint.other_passage = ANY(CAST(:ids AS uuid[]))) AS pair
    ) AS side
    JOIN passage ON passage.id = side.other_passage
    JOIN revision ON revision.id = passage.revision
    WHERE passage.audience_id = ANY(CAST(:audiences AS integer[]))
      AND passage.in_force_from <= :as_of AND passage.in_force_until > :as_of
      AND NOT EXISTS (SELECT FROM conflict_dismissal WHERE conflict_dismissal.pair_key = side.pair_key)
      AND NOT EXISTS (SELECT FROM withdrawal WHERE withdrawal.document = revision.document
                      AND withdrawal.content_sha256 = revision.content_sha256)
""")  # noqa: S608 - as above


async def list_conflicts(
    connection: AsyncConnection, *, number: int, after: int, limit: int, only_open: bool = False
) -> list[ListedConflict]:
    """List the pairs of a version in its order, those that were dismissed too or not, without withdrawn texts."""
    asked = {"version": number, "after": after, "limit": limit, "only_open": only_open}
    rows = await connection.execute(_LISTED, asked)
    return [
        ListedConflict(
            ordinal=row["ordinal"],
            key=row["pair_key"],
            one=Side(
                **{name: row[name] for name in Side.__slots__ if name != "heading_path"},
                heading_path=tuple(row["heading_path"]),
            ),
            other=Side(
                slug=row["other_slug"],
                title=row["other_title"],
                label=row["other_label"],
                heading_path=tuple(row["other_heading_path"]),
                sentence=row["other_sentence"],
            ),
            dismissal=None
            if row["reason"] is None
            else Dismissal(reason=row["reason"], dismissed_by=row["dismissed_by"], dismissed_at=row["dismissed_at"]),
        )
        for row in rows.mappings()
    ]


async def dismiss_conflict(connection: AsyncConnection, acting: Acting, *, key: str, reason: str) -> None:
    """Let both sentences stand. Repeat: the newer reason stays. Errors: ConflictNotFoundError."""
    if not (await connection.execute(_IS_KNOWN, {"key": key})).scalar_one():
        raise ConflictNotFoundError
    values = {"tenant": acting.tenant, "pair_key": key, "reason": reason, "dismissed_by": acting.actor}
    fresh = {"reason": reason, "dismissed_by": acting.actor, "dismissed_at": func.clock_timestamp()}
    keeping = (
        insert(conflict_dismissal)
        .values(values)
        .on_conflict_do_update(index_elements=["tenant", "pair_key"], set_=fresh)
    )
    await connection.execute(keeping)
    await record_act(connection, acting, "CONFLICT_DISMISSED", subject=f"conflict:{key}")


async def restore_conflict(connection: AsyncConnection, acting: Acting, *, key: str) -> None:
    """Open a pair that was dismissed again. Repeat: nothing changes."""
    gone = await connection.execute(delete(conflict_dismissal).where(conflict_dismissal.c.pair_key == key))
    if gone.rowcount:
        await record_act(connection, acting, "CONFLICT_RESTORED", subject=f"conflict:{key}")


def hinted(*, version: int, ids: Sequence[UUID]) -> Ask:
    """Ask, in one row `may_stand`, whether `standing_conflicts` could find anything for these passages."""
    return Ask(_MAY_STAND, {"version": version, "ids": listed(ids)})


async def standing_conflicts(
    connection: AsyncConnection, *, version: int, audiences: Sequence[int], as_of: date, ids: Sequence[UUID]
) -> tuple[KnownConflict, ...]:
    """Give the pairs that passages are one side of, where the other side holds for the same customer and day."""
    view: dict[str, Any] = {"version": version, "audiences": list(audiences), "as_of": as_of}  # numbers and a day
    rows = await connection.execute(_STANDING, view | {"ids": list(ids)})
    return tuple(
        KnownConflict(
            passage_id=row.passage,
            start=row.text_start,
            end=row.text_end,
            other_passage_id=row.other_passage,
            other_sentence=row.other_sentence,
        )
        for row in rows
    )
