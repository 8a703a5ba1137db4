"""Write seals: one batch a transaction, one sealer a tenant at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import any_, delete, func, literal, select, update
from sqlalchemy.dialects.postgresql import ARRAY, BIGINT, insert
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.auditing.sealing import NO_HEAD, Batch, Place, Seal
from knowledge.tables.seals import answer_batch, answer_chain, answer_seal, answer_unsealed


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """Where a chain ends now, in a transaction that holds it."""

    number: int
    head: bytes
    now: datetime


@dataclass(frozen=True, slots=True)
class Waiting:
    """A row that waits for its seal."""

    number: int
    place: Place


async def tenants_to_seal(connection: AsyncConnection, *, limit: int) -> list[str]:
    """List tenants with rows that wait, in any order, so that none is always the last. Runs as the sweeper."""
    waiting = select(answer_unsealed.c.tenant).distinct().subquery()
    query = select(waiting.c.tenant).order_by(func.random()).limit(limit)
    return list((await connection.execute(query)).scalars())


async def tenants_to_publish(connection: AsyncConnection, *, limit: int) -> list[str]:
    """List tenants whose newest head was not told outside, in any order. Runs as the sweeper."""
    chain = answer_chain.c
    query = select(chain.tenant).where(chain.sealed > chain.published).order_by(func.random()).limit(limit)
    return list((await connection.execute(query)).scalars())


async def hold_chain(connection: AsyncConnection, tenant: str) -> End | None:
    """Take a tenant's chain for this transaction; None while somebody else has it."""
    chain = answer_chain.c
    made = insert(answer_chain).values(tenant=tenant, sealed=0, published=0, sampled=0).on_conflict_do_nothing()
    await connection.execute(made)
    held = select(chain.sealed).where(chain.tenant == tenant).with_for_update(skip_locked=True)
    if (await connection.execute(held)).first() is None:
        return None
    newest = await newest_batch(connection, tenant)
    now: datetime = (await connection.execute(select(func.clock_timestamp()))).scalar_one()
    return End(number=newest.number if newest else 0, head=newest.head if newest else NO_HEAD, now=now)


async def newest_batch(connection: AsyncConnection, tenant: str) -> Batch | None:
    """Give the newest batch; None before the first."""
    batch = answer_batch.c
    query = select(answer_batch).where(batch.tenant == tenant).order_by(batch.number.desc()).limit(1)
    row = (await connection.execute(query)).mappings().first()
    return None if row is None else Batch(**row)


async def waiting_rows(connection: AsyncConnection, tenant: str, *, limit: int) -> list[Waiting]:
    """List rows that wait, in the order in which they came."""
    row = answer_unsealed.c
    query = (
        select(row.number, row.kind, row.attempt, row["try"])
        .where(row.tenant == tenant)
        .order_by(row.number)
        .limit(limit)
    )
    return [Waiting(each[0], Place(*each[1:])) for each in await connection.execute(query)]


async def add_batch(connection: AsyncConnection, batch: Batch, seals: Sequence[Seal]) -> None:
    """Add a batch with its seals to a chain that this transaction holds."""
    row = {name: getattr(batch, name) for name in answer_batch.c.keys()}  # noqa: SIM118 - columns, not a mapping
    await connection.execute(insert(answer_batch).values(row))
    await connection.execute(insert(answer_seal), [_row(batch, seal) for seal in seals])
    chain = answer_chain.c
    await connection.execute(update(answer_chain).where(chain.tenant == batch.tenant).values(sealed=batch.number))


async def wait_no_more(connection: AsyncConnection, tenant: str, waiting: Sequence[Waiting]) -> None:
    """Take sealed rows out of those that wait."""
    numbers = literal([each.number for each in waiting], ARRAY(BIGINT))
    row = answer_unsealed.c
    await connection.execute(delete(answer_unsealed).where(row.tenant == tenant, row.number == any_(numbers)))


async def mark_published(connection: AsyncConnection, batch: Batch) -> None:
    """Note that a head was told outside. Repeat: an older one changes nothing."""
    chain = answer_chain.c
    newer = update(answer_chain).where(chain.tenant == batch.tenant, chain.published < batch.number)
    await connection.execute(newer.values(published=batch.number))


def _row(batch: Batch, seal: Seal) -> dict[str, object]:
    return {
        "tenant": batch.tenant,
        "batch": batch.number,
        "position": seal.position,
        "kind": seal.place.kind,
        "attempt": seal.place.attempt,
        "try": seal.place.number,
        "commitments": seal.commitments,
        "link": seal.link,
        "row_key": seal.keys.row,
        "text_key": seal.keys.text,
    }
