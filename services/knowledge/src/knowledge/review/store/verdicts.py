"""Verdicts of reviewers: added one after the other, never changed."""

from typing import Any
from uuid import UUID

from sqlalchemy import Row, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.review.item import Finding, Layer, Verdict
from knowledge.review.judging import check_has_seen, check_may_judge, repeated
from knowledge.review.store.queue import close, lock
from knowledge.tables.review import review_verdict
from knowledge.versions.acts import Acting

_VERDICT = review_verdict.c


async def add_verdict(
    connection: AsyncConnection, acting: Acting, attempt_id: UUID, finding: Finding
) -> tuple[Verdict, bool]:
    """Add what a reviewer found and close the item; give the verdict and whether it is new.

    Repeat: the same verdict of the same reviewer, who had seen as many, is the one there is, whatever came after it.
    Errors: ItemNotFoundError, NotHeldError, ItemClosedError, VerdictMeanwhileError.
    """
    item = await lock(connection, attempt_id)
    verdicts = await list_verdicts(connection, attempt_id)
    known = repeated(verdicts, finding, reviewer=acting.actor)
    if known is not None:
        return known, False
    check_may_judge(item, reviewer=acting.actor)
    check_has_seen(verdicts, finding)
    adding = insert(review_verdict).values(
        tenant=acting.tenant,
        attempt=attempt_id,
        number=len(verdicts) + 1,
        layer=finding.layer,
        note=finding.note,
        reviewer=acting.actor,
    )
    row = (await connection.execute(adding.returning(review_verdict))).one()
    await close(connection, attempt_id)
    return _verdict(row), True


async def list_verdicts(connection: AsyncConnection, attempt_id: UUID) -> list[Verdict]:
    """List the verdicts on an attempt, the first one first."""
    listing = select(review_verdict).where(_VERDICT.attempt == attempt_id).order_by(_VERDICT.number)
    return [_verdict(row) for row in await connection.execute(listing)]


def _verdict(row: Row[Any]) -> Verdict:  # a whole row of the table
    return Verdict(
        number=row.number,
        layer=Layer(row.layer),
        note=row.note,
        reviewer=row.reviewer,
        decided_at=row.decided_at,
    )
