"""In how many passages of a version each term stands: counted from what changed where a version before it is counted."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from sqlalchemy import Connection, RowMapping, func, select, text, update

from knowledge.ingestion.counting import Difference
from knowledge.ingestion.jobs import PendingPassage
from knowledge.tables.versions import version as version_table
from knowledge.versions.releasing import SERVABLE

# The version that answers is the likeliest to be alike; before the first publication, the newest that is built.
BASE: Final = """
    SELECT base.number, base.built_day
    FROM version AS counting
    JOIN version AS base ON base.analyser = counting.analyser AND base.number <> counting.number
    LEFT JOIN tenant_pointer ON tenant_pointer.current_version = base.number
    WHERE counting.number = :version AND base.built_day IS NOT NULL
      AND base.state IN ('STAGED', 'EVALUATED', 'APPROVED', 'PUBLISHED', 'RETIRED')
    ORDER BY tenant_pointer.current_version IS NOT NULL DESC, base.number DESC
    LIMIT 1
"""

_DIFFERING: Final = text("""
    WITH ours AS (
        SELECT revision.id FROM version_revision JOIN revision ON revision.id = version_revision.revision
        WHERE version_revision.version = :version AND revision.in_force_until > :day),
    theirs AS (
        SELECT revision.id FROM version_revision JOIN revision ON revision.id = version_revision.revision
        WHERE version_revision.version = :base AND revision.in_force_until > :base_day),
    differing AS (
        (SELECT id, true AS is_added FROM (SELECT id FROM ours EXCEPT SELECT id FROM theirs) AS added)
        UNION ALL
        (SELECT id, false FROM (SELECT id FROM theirs EXCEPT SELECT id FROM ours) AS removed))
    SELECT passage.id, revision.title, passage.heading_path, passage.text, differing.is_added
    FROM differing
    JOIN revision ON revision.id = differing.id
    JOIN passage ON passage.tenant = :tenant AND passage.revision = differing.id
    LIMIT :limit
""")

_COUNT: Final = text("""
    INSERT INTO term_frequency (tenant, version, term, passages)
    SELECT :tenant, :version, term, sum(passages)
    FROM (SELECT term, passages FROM term_frequency WHERE tenant = :tenant AND version = :base
          UNION ALL
          SELECT * FROM unnest(CAST(:terms AS bigint[]), CAST(:changes AS integer[])) AS changed (term, passages)
    ) AS counted
    GROUP BY term HAVING sum(passages) > 0
    ON CONFLICT DO NOTHING
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """A version that is built, and the day it was built for."""

    number: int
    built_day: date


def build_day(connection: Connection, *, version: int, today: date) -> date:
    """Give the business day a version is built for. Repeat: the first day stays, whenever later steps run."""
    columns = version_table.c
    setting = update(version_table).where(columns.number == version)
    setting = setting.values(built_day=func.coalesce(columns.built_day, today))
    return connection.execute(setting.returning(columns.built_day)).scalar_one()


def find_base(connection: Connection, version: int) -> Base | None:
    """Give the version that one is likeliest to be alike: the current one, else the newest that is built alike."""
    row = connection.execute(text(BASE), {"version": version}).one_or_none()
    return None if row is None else Base(number=row.number, built_day=row.built_day)


def find_difference(connection: Connection, *, tenant: str, version: int, day: date, most: int) -> Difference | None:
    """Give what changed since a counted version; None when there is none, or when more passages than `most` did."""
    base = find_base(connection, version)
    if base is None:
        return None
    asked: dict[str, Any] = {
        "tenant": tenant,
        "version": version,
        "day": day,
        "limit": most + 1,
    }  # statement parameters
    found = connection.execute(_DIFFERING, asked | {"base": base.number, "base_day": base.built_day}).mappings().all()
    if len(found) > most:
        return None
    return Difference(
        base=base.number,
        added=tuple(_passage(row) for row in found if row["is_added"]),
        removed=tuple(_passage(row) for row in found if not row["is_added"]),
    )


def count_changes(connection: Connection, *, tenant: str, version: int, base: int, changes: Mapping[int, int]) -> bool:
    """Count the terms of a version from those of another and what changed; say whether the other was still there.

    Repeat: what is counted stays.
    """
    columns = version_table.c
    # Until this is committed nobody discards the base, whose counts would then go piece by piece.
    held = select(columns.number).where(columns.number == base, columns.state.in_(SERVABLE)).with_for_update(read=True)
    if connection.execute(held).one_or_none() is None:
        return False
    asked = {"tenant": tenant, "version": version, "base": base}
    connection.execute(_COUNT, asked | {"terms": list(changes), "changes": list(changes.values())})
    return True


def _passage(row: RowMapping) -> PendingPassage:
    return PendingPassage(
        passage_id=row["id"], title=row["title"], heading_path=tuple(row["heading_path"]), text=row["text"]
    )
