"""What models cost evaluation runs: a result says what its case cost."""

from datetime import datetime
from decimal import Decimal
from typing import Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

# The few runs of a day lead to their results by the key; results alone have no index on their time.
_SPENT: Final = text("""
    SELECT coalesce(sum((result.result ->> 'cost')::numeric), 0)
    FROM evaluation_run AS run JOIN evaluation_result AS result ON result.run = run.id
    WHERE (run.finished_at IS NULL OR run.finished_at >= :moment) AND result.asked_at >= :moment
""")


async def spent_by_runs(connection: AsyncConnection, moment: datetime) -> Decimal:
    """Add up what the cases of a tenant's runs have cost since a moment."""
    return Decimal((await connection.execute(_SPENT, {"moment": moment})).scalar_one())
