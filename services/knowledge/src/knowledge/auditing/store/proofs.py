"""Read the chain back, a batch at a time, and look for rows past it."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.auditing.sealing import NO_HEAD, Batch, Keys, Kind, Place, Seal
from knowledge.auditing.store.rows import TABLES, erased_among, read_values
from knowledge.auditing.verifying import Held
from knowledge.tables.seals import answer_batch, answer_chain, answer_seal, answer_unsealed


async def head_of_batch(connection: AsyncConnection, tenant: str, number: int) -> bytes | None:
    """Give the head of a batch as it is stored; that of none is what the first one follows."""
    if number == 0:
        return NO_HEAD
    batch = answer_batch.c
    query = select(batch.head).where(batch.tenant == tenant, batch.number == number)
    return (await connection.execute(query)).scalar_one_or_none()


async def batches_after(connection: AsyncConnection, tenant: str, number: int, *, limit: int) -> list[Batch]:
    """List batches with higher numbers, in their order."""
    batch = answer_batch.c
    query = select(answer_batch).where(batch.tenant == tenant, batch.number > number).order_by(batch.number)
    return [Batch(**row) for row in (await connection.execute(query.limit(limit))).mappings()]


async def read_held(connection: AsyncConnection, batch: Batch) -> Held:
    """Read a batch with all that the log has of its rows now."""
    seal = answer_seal.c
    query = (
        select(answer_seal)
        .where(seal.tenant == batch.tenant, seal.batch == batch.number)
        .order_by(seal.position)
        # A batch that was blown up must not blow up whoever checks it: one row too many is found like a thousand.
        .limit(batch.rows + 1)
    )
    rows = (await connection.execute(query)).mappings().all()
    seals = [
        Seal(
            place=Place(row["kind"], row["attempt"], row["try"]),
            position=row["position"],
            commitments=row["commitments"],
            link=row["link"],
            keys=Keys(row["row_key"], row["text_key"]),
        )
        for row in rows
    ]
    places = [each.place for each in seals if each.place.kind in TABLES]
    values = await read_values(connection, batch.tenant, places)
    erased = await erased_among(connection, batch.tenant, [place.attempt for place in places])
    return Held(batch=batch, seals=seals, rows=values, erased=erased)


async def expected_end(connection: AsyncConnection, tenant: str) -> int:
    """Say how many batches the sealing remembers."""
    chain = answer_chain.c
    return (await connection.execute(select(chain.sealed).where(chain.tenant == tenant))).scalar_one_or_none() or 0


async def count_waiting(connection: AsyncConnection, tenant: str) -> int:
    """Count rows that wait for their seal."""
    query = select(func.count()).select_from(answer_unsealed).where(answer_unsealed.c.tenant == tenant)
    return (await connection.execute(query)).scalar_one()


async def page_of(
    connection: AsyncConnection, tenant: str, kind: Kind, *, after: UUID | None, limit: int
) -> list[tuple[UUID, int]]:
    """List attempts and tries of a kind of rows, by attempt; those past one attempt when it is named."""
    row = TABLES[kind].c
    query = select(row.attempt, row["try"]).where(row.tenant == tenant)
    if after is not None:
        query = query.where(row.attempt > after)
    found = await connection.execute(query.order_by(row.attempt, row["try"]).limit(limit))
    return [(each[0], each[1]) for each in found]


async def first_unsealed(
    connection: AsyncConnection, tenant: str, kind: Kind, page: Sequence[tuple[UUID, int]]
) -> Place | None:
    """Give the first of these rows, which follow one another, that is neither sealed nor waiting."""
    first, last = page[0][0], page[-1][0]
    known: set[tuple[UUID, int]] = set()
    for table in (answer_seal, answer_unsealed):
        row = table.c
        query = select(row.attempt, row["try"]).where(
            row.tenant == tenant, row.kind == kind, row.attempt.between(first, last)
        )
        known |= {(each[0], each[1]) for each in await connection.execute(query)}
    return next((Place(kind, *each) for each in page if each not in known), None)
