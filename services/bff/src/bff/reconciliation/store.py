"""Find closed attempts that were not compared yet, and note how the comparison went."""

from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bff.reconciliation.comparing import Agreement
from bff.tables import ATTEMPT


async def find_uncompared(connection: AsyncConnection, *, limit: int) -> tuple[UUID, ...]:
    """Give closed attempts of the transaction's tenant that were not compared, the oldest first."""
    columns = ATTEMPT.c
    rows = await connection.execute(
        select(columns.id)
        .where(columns.status != "PENDING", columns.agreement.is_(None))
        .order_by(columns.completed_at)
        .limit(limit)
    )
    return tuple(rows.scalars())


async def note_agreement(connection: AsyncConnection, attempt_id: UUID, agreement: Agreement) -> bool:
    """Note how a comparison went; False when another was first, or the attempt was erased."""
    columns = ATTEMPT.c
    noted = await connection.execute(
        update(ATTEMPT).where(columns.id == attempt_id, columns.agreement.is_(None)).values(agreement=agreement)
    )
    return noted.rowcount == 1
