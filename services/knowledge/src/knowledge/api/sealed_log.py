"""The answer log's proof, a piece a call: whoever asks puts the pieces together and keeps the head."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query

from contracts.errors import NotFoundError
from contracts.ids import printed
from contracts.model import Outgoing
from knowledge.adapters.proving import FIRST, Head, prove
from knowledge.api.dependencies import WithResources
from knowledge.api.problems import PROBLEMS
from knowledge.api.roles import Examiner
from knowledge.auditing.store.proofs import head_of_batch
from knowledge.auditing.verifying import Fault

router = APIRouter(prefix="/v1/staff/audit/log", tags=["answer log"], responses=PROBLEMS)

_LARGEST = 999_999_999_999_999


class HeadView(Outgoing):
    """The end of what was checked."""

    number: int
    head: str
    sealed_at: datetime | None


class FaultView(Outgoing):
    """The first thing that is not as it was sealed."""

    finding: str
    batch: int | None
    row: str | None
    attempt_id: str | None
    field: str | None


class ProofView(Outgoing):
    """What one piece came to. `follows` is the head it began from, which must be the last of the piece before.

    `heads` are those of all its batches: each that was saved elsewhere must be among them.
    """

    follows: str | None
    batches: int
    rows: int
    erased: int
    head: HeadView | None
    heads: list[HeadView]
    waiting: int
    fault: FaultView | None
    next_cursor: str | None


@router.get("", summary="Check a piece of the answer log")
async def get_proof(
    staff: Examiner,
    held: WithResources,
    cursor: Annotated[str, Query(max_length=60, description="The `nextCursor` of the piece before")] = FIRST,
) -> ProofView:
    """Compare a bounded number of rows with their seals. Shapes: no `nextCursor` after the last piece or a fault."""
    proof = await prove(held.database, staff.claims.tenant, cursor)
    return ProofView(
        follows=proof.follows.hex() if proof.follows is not None else None,
        batches=proof.batches,
        rows=proof.rows,
        erased=proof.erased,
        head=_head(proof.head) if proof.head is not None else None,
        heads=[_head(each) for each in proof.heads],
        waiting=proof.waiting,
        fault=_fault(proof.fault),
        next_cursor=proof.next_cursor,
    )


@router.get("/heads/{number}", summary="Read the head of a batch")
async def get_head(
    number: Annotated[
        int, Path(ge=1, le=_LARGEST, description="The batch by its number in the chain, counted from 1", examples=[17])
    ],
    staff: Examiner,
    held: WithResources,
) -> HeadView:
    """Give a head as it is stored. Errors: NotFoundError when the chain does not reach so far."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        head = await head_of_batch(connection, staff.claims.tenant, number)
    if head is None:
        raise NotFoundError("The chain does not reach so far.")
    return HeadView(number=number, head=head.hex(), sealed_at=None)


def _head(head: Head) -> HeadView:
    return HeadView(number=head.number, head=head.head.hex(), sealed_at=head.sealed_at)


def _fault(fault: Fault | None) -> FaultView | None:
    if fault is None:
        return None
    place = fault.place
    return FaultView(
        finding=fault.finding,
        batch=fault.batch,
        row=place.kind if place else None,
        attempt_id=printed("att", place.attempt) if place else None,
        field=fault.field,
    )
