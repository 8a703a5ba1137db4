"""Find what is due, for the sweeper, which sees tenants, ids and moments and nothing else."""

from typing import Final
from uuid import UUID

from sqlalchemy import TextClause, text
from sqlalchemy.ext.asyncio import AsyncConnection

# One index step finds the next tenant that has anything due, so a tenant with a long backlog hides no other.
_IN_TURNS: Final = """
WITH RECURSIVE waiting AS (
  (SELECT tenant FROM ticket WHERE {due} IS NOT NULL ORDER BY tenant LIMIT 1)
  UNION ALL
  SELECT (SELECT t.tenant FROM ticket t WHERE t.{due} IS NOT NULL AND t.tenant > waiting.tenant
          ORDER BY t.tenant LIMIT 1)
  FROM waiting WHERE waiting.tenant IS NOT NULL
)
SELECT due.tenant, due.id FROM waiting CROSS JOIN LATERAL (
  SELECT t.tenant, t.id, t.{due} AS moment, row_number() OVER (ORDER BY t.{due}) AS turn
  FROM (SELECT tenant, id, {due} FROM ticket
        WHERE tenant = waiting.tenant AND {due} <= clock_timestamp() ORDER BY {due} LIMIT :most) t
) due
ORDER BY due.turn, due.moment LIMIT :most
"""
_DUE: Final = text(_IN_TURNS.format(due="due_at"))
_POLLS: Final = text(_IN_TURNS.format(due="poll_at"))


async def find_due(connection: AsyncConnection, *, most: int) -> list[tuple[str, UUID]]:
    """List due tickets of all tenants in turns: first the longest due of every tenant, then the second of each."""
    return await _in_turns(connection, _DUE, most=most)


async def find_polls(connection: AsyncConnection, *, most: int) -> list[tuple[str, UUID]]:
    """List tickets whose helpdesk is to be asked, in the same turns."""
    return await _in_turns(connection, _POLLS, most=most)


async def _in_turns(connection: AsyncConnection, statement: TextClause, *, most: int) -> list[tuple[str, UUID]]:
    rows = await connection.execute(statement, {"most": most})
    return [(row.tenant, row.id) for row in rows]
