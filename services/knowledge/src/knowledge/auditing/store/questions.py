"""Questions as they were typed, encrypted: read one, wrap keys anew."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.answering.log import Original
from knowledge.tables.seals import answer_original


async def read_question(connection: AsyncConnection, tenant: str, attempt_id: UUID) -> Original | None:
    """Give an attempt's encrypted question; None when there is none, or none any more."""
    kept = answer_original.c
    query = select(kept.key_id, kept.wrapped_key, kept.ciphertext)
    row = (await connection.execute(query.where(kept.tenant == tenant, kept.attempt == attempt_id))).first()
    return None if row is None else Original(*row)


async def questions_of_keys(
    connection: AsyncConnection, tenant: str, keys: Sequence[str], *, limit: int
) -> list[tuple[UUID, Original]]:
    """Take questions whose keys these installation keys wrap, for this transaction; those that are taken are left out."""
    kept = answer_original.c
    query = (
        select(kept.attempt, kept.key_id, kept.wrapped_key, kept.ciphertext)
        .where(kept.tenant == tenant, kept.key_id.in_(keys))
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    return [(row[0], Original(*row[1:])) for row in await connection.execute(query)]


async def write_key(connection: AsyncConnection, tenant: str, attempt_id: UUID, wrapped: Original) -> None:
    """Write the wrapped key of a question again."""
    kept = answer_original.c
    changed = update(answer_original).where(kept.tenant == tenant, kept.attempt == attempt_id)
    await connection.execute(changed.values(key_id=wrapped.key_id, wrapped_key=wrapped.wrapped_key))
