"""What the end of an attempt leaves for people: an item when it looks doubtful, and which revisions it cited."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import literal, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from contracts.tenants import ReviewSampling
from knowledge.answering.log import Asked, Closing
from knowledge.review.sampling import reasons_of
from knowledge.review.store.queue import opening
from knowledge.tables.index import passage
from knowledge.tables.review import answer_citation

_CITED: Final = answer_citation.c


async def note_ending(connection: AsyncConnection, asked: Asked, closing: Closing, sampling: ReviewSampling) -> None:
    """Note what people should know of an attempt that has just ended. Repeat: the first time stays."""
    for reason in reasons_of(asked.attempt_id, closing, sampling):
        found = opening(tenant=asked.tenant, attempt_id=asked.attempt_id, reason=reason, at=closing.closed_at)
        await connection.execute(found)
    passages = sorted({citation.passage_id for citation in closing.citations})
    if passages:
        await _note_citations(connection, asked, passages, closed_at=closing.closed_at)


async def _note_citations(
    connection: AsyncConnection, asked: Asked, passages: Sequence[UUID], *, closed_at: datetime
) -> None:
    cited = (
        select(
            literal(asked.tenant),
            passage.c.revision,
            literal(asked.attempt_id, _CITED.attempt.type),
            literal(closed_at, _CITED.closed_at.type),
        )
        .where(passage.c.tenant == asked.tenant, passage.c.id.in_(passages))
        .distinct()
    )
    noting = insert(answer_citation).from_select(["tenant", "revision", "attempt", "closed_at"], cited)
    await connection.execute(noting.on_conflict_do_nothing())
