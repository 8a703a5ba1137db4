"""Puts the vectors of a version into the graphs of approximate search, a bounded number a step."""

from datetime import date
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, text

_FIRST: Final = "passage_vector"

# In the order of revisions a step begins where the last one ended, as long as rows are looked up one by one.
_ONE_BY_ONE: Final = text(
    "SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)"
)

_HEAT: Final = """
    WITH cold AS MATERIALIZED (
        SELECT version_revision.revision, vectors.passage
        FROM version_revision
        JOIN passage ON passage.tenant = :tenant AND passage.revision = version_revision.revision
        JOIN {table} AS vectors ON vectors.tenant = :tenant AND vectors.passage = passage.id {of_arm}
        WHERE version_revision.tenant = :tenant AND version_revision.version = :version
          AND version_revision.revision >= coalesce(CAST(:reached AS uuid), '00000000-0000-0000-0000-000000000000')
          AND passage.in_force_until > :day AND NOT vectors.hot
        ORDER BY version_revision.revision
        LIMIT :batch),
    heated AS (
        UPDATE {table} AS vectors SET hot = true FROM cold
        WHERE vectors.tenant = :tenant AND vectors.passage = cold.passage {of_arm})
    SELECT revision FROM cold ORDER BY revision
"""


def heat_vectors(  # noqa: PLR0913 - one keyword a condition
    connection: Connection, *, tenant: str, version: int, day: date, reached: UUID | None, limit: int
) -> list[UUID]:
    """Put first vectors of servable passages into their graph; give the revision of each that was put, in order.

    Before the revision that is `reached` all are there.
    """
    asked = {"tenant": tenant, "version": version, "day": day, "reached": reached, "batch": limit}
    return _heat(connection, _HEAT.format(table=_FIRST, of_arm=""), asked)


def heat_arm(  # noqa: PLR0913 - one keyword a condition
    connection: Connection,
    *,
    tenant: str,
    version: int,
    arm: str,
    table: str,
    day: date,
    reached: UUID | None,
    limit: int,
) -> list[UUID]:
    """Put vectors of a second arm into the graph of their table; the rest is as with the first."""
    asked = {"tenant": tenant, "version": version, "day": day, "reached": reached, "batch": limit, "arm": arm}
    return _heat(connection, _HEAT.format(table=table, of_arm="AND vectors.arm = :arm"), asked)


def _heat(connection: Connection, statement: str, asked: dict[str, Any]) -> list[UUID]:  # names, numbers and days
    connection.execute(_ONE_BY_ONE)
    return list(connection.execute(text(statement), asked).scalars())
