"""Which runs a pulse asks workers to go on with. It knows nothing of what they measure."""

from typing import Final
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

_DUE: Final = text("""
    SELECT tenant, id FROM evaluation_run
    WHERE state = 'RUNNING' AND lease_until < clock_timestamp() ORDER BY lease_until LIMIT :limit
""")
_POSTPONE: Final = text("""
    UPDATE evaluation_run SET lease_until = clock_timestamp() + interval '5 seconds'
    WHERE id = :run AND state = 'RUNNING' AND lease_until < clock_timestamp()
""")


async def due_runs(connection: AsyncConnection, *, limit: int) -> list[tuple[str, UUID]]:
    """List running runs of every tenant that nobody works on, for the sweeper."""
    return [(row.tenant, row.id) for row in await connection.execute(_DUE, {"limit": limit})]


async def postpone_run(connection: AsyncConnection, run_id: UUID) -> bool:
    """Push the lease of a run on, and say whether it was due still: of several pulses one asks for it."""
    return (await connection.execute(_POSTPONE, {"run": run_id})).rowcount == 1
