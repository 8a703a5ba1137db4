"""Checks the answer log against its chain, a bounded piece a call."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, cast
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from contracts.errors import InvalidRequestError
from knowledge.auditing.sealing import FIELDS, Kind
from knowledge.auditing.store import proofs
from knowledge.auditing.verifying import ChangedError, Fault, Finding, verify_batch
from runtime.database import Database

_BATCHES: Final = 8
_STRAYS: Final = 10_000
_KINDS: Final[tuple[Kind, ...]] = tuple(FIELDS)
FIRST: Final = "batch-0"
"""The cursor of the first piece."""

_CURSOR: Final = re.compile(r"batch-(\d{1,15})|(opening|closing|cause|erasure)-([0-9a-f]{32})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The end of what was checked."""

    number: int
    head: bytes
    sealed_at: datetime | None


@dataclass(kw_only=True)
class Proof:
    """What one piece came to. `follows` is the head it began from, for whoever puts the pieces together.

    `heads` are those of all its batches, for whoever has saved some of them.
    """

    follows: bytes | None = None
    batches: int = 0
    rows: int = 0
    erased: int = 0
    head: Head | None = None
    heads: list[Head] = field(default_factory=list[Head])
    waiting: int = 0
    fault: Fault | None = None
    next_cursor: str | None = None


async def prove(database: Database, tenant: str, cursor: str) -> Proof:
    """Check a piece of a tenant's log, all of it as it is at one moment, whatever is sealed or erased meanwhile.

    Errors: InvalidRequestError for a cursor that no answer gave.
    """
    async with database.snapshot(tenant) as connection:
        return await prove_piece(connection, tenant, cursor)


async def prove_piece(connection: AsyncConnection, tenant: str, cursor: str) -> Proof:
    """Check a piece: first the chain from its beginning, then whether rows stand past it. Errors: as `prove`."""
    place = _CURSOR.fullmatch(cursor)
    if place is None:
        raise InvalidRequestError("cursor: is not one that was given.")
    if place[1] is not None:
        return await _prove_batches(connection, tenant, int(place[1]))
    kind = cast("Kind", place[2])  # the pattern allows nothing else
    return await _look_past(connection, tenant, kind, UUID(place[3]) if place[3] else None)


async def _prove_batches(connection: AsyncConnection, tenant: str, after: int) -> Proof:
    proof = Proof(follows=await proofs.head_of_batch(connection, tenant, after))
    if proof.follows is None:
        proof.fault = Fault(finding=Finding.BATCH_MISSING, batch=after)
        return proof
    previous, number = proof.follows, after
    for batch in await proofs.batches_after(connection, tenant, after, limit=_BATCHES):
        try:
            sound = verify_batch(await proofs.read_held(connection, batch), number=number + 1, previous=previous)
        except ChangedError as changed:
            proof.fault = changed.fault
            return proof
        previous, number = batch.head, batch.number
        proof.head = Head(number=number, head=previous, sealed_at=batch.sealed_at)
        proof.heads.append(proof.head)
        proof.batches, proof.rows, proof.erased = (
            proof.batches + 1,
            proof.rows + sound.rows,
            proof.erased + sound.erased,
        )
    if proof.batches == _BATCHES:
        proof.next_cursor = f"batch-{number}"
    elif await proofs.expected_end(connection, tenant) != number:
        proof.fault = Fault(finding=Finding.BATCH_MISSING, batch=number + 1)
    else:
        proof.waiting = await proofs.count_waiting(connection, tenant)
        proof.next_cursor = f"{_KINDS[0]}-"
    return proof


async def _look_past(connection: AsyncConnection, tenant: str, kind: Kind, after: UUID | None) -> Proof:
    page = await proofs.page_of(connection, tenant, kind, after=after, limit=_STRAYS)
    stray = await proofs.first_unsealed(connection, tenant, kind, page) if page else None
    if stray is not None:
        return Proof(fault=Fault(finding=Finding.ROW_UNSEALED, place=stray))
    if len(page) == _STRAYS:
        return Proof(next_cursor=f"{kind}-{page[-1][0].hex}")
    following = _KINDS[_KINDS.index(kind) + 1 :]
    return Proof(next_cursor=f"{following[0]}-" if following else None)
