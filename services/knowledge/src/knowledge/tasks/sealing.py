"""Duties over the answer log: seal what was added, tell the heads outside, close what was left behind."""

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol
from uuid import UUID

from contracts.ids import printed
from knowledge.answering.store import AnswerLogStore
from knowledge.auditing.sealing import ERASABLE, KEY_BYTES, Batch, Keys, Place, Seal, Values, seal_batch, seal_row
from knowledge.auditing.store import seals
from knowledge.auditing.store.rows import read_values
from knowledge.auditing.store.seals import End
from runtime.clock import Clock
from runtime.database import Database
from runtime.logging import get_logger
from runtime.pulse import Duty, run_for_each, run_for_each_row

# A batch is read, hashed and written in about a tenth of a second.
BATCH_ROWS: Final = 500
_TENANTS: Final = 50
_ABANDONED: Final = 50
_SEAL_SECONDS: Final = 5.0
_TELL_SECONDS: Final = 5.0
_CLOSE_SECONDS: Final = 10.0

_log = get_logger("answer_log")


class Telling(Protocol):
    """Takes the head of a chain out of the database."""

    async def tell(self, batch: Batch) -> None:
        """Tell the head. Repeat: the same or a newer head may be told again. Errors: TryAgainError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealing:
    """What the duties work with."""

    app: Database
    sweeper: Database
    telling: Telling
    clock: Clock


def sealing_duties(held: Sealing) -> tuple[Duty, ...]:
    """Give the pulse its duties over the answer log."""

    async def sealing() -> int:
        return await seal_waiting(held)

    async def telling() -> int:
        return await tell_heads(held)

    async def closing() -> int:
        return await close_abandoned_attempts(held)

    return (
        Duty(name="abandoned-attempts", run=closing, every_seconds=_CLOSE_SECONDS),
        Duty(name="sealing", run=sealing, every_seconds=_SEAL_SECONDS),
        Duty(name="heads", run=telling, every_seconds=_TELL_SECONDS),
    )


async def seal_waiting(held: Sealing) -> int:
    """Seal a batch of every tenant; say how many batches were full, so that a steady trickle waits for its turn.

    Repeat: a chain belongs to one sealer at a time, and a row waits until the transaction of its seal.
    """
    async with held.sweeper.sweep() as connection:
        tenants = await seals.tenants_to_seal(connection, limit=_TENANTS)
    return await run_for_each(tenants, partial(_seal, held.app))


async def tell_heads(held: Sealing) -> int:
    """Take every chain's newest head out of the database; gives 0. Errors: TryAgainError; what is left is told next time."""
    async with held.sweeper.sweep() as connection:
        tenants = await seals.tenants_to_publish(connection, limit=_TENANTS)
    return await run_for_each(tenants, partial(_tell, held))


async def close_abandoned_attempts(held: Sealing) -> int:
    """Close attempts that nobody runs any more, so that the log says how each one ended; say how many were closed.

    Repeat: an attempt closes once, whoever is first.
    """
    async with held.sweeper.sweep() as connection:
        left = await AnswerLogStore(connection).left_behind(limit=_ABANDONED)
    return await run_for_each_row(left, partial(_close, held))


async def _tell(held: Sealing, tenant: str) -> int:
    async with held.app.transaction(tenant) as connection:
        newest = await seals.newest_batch(connection, tenant)
    if newest is None:
        _log.error("chain_without_batches")
        return 0
    await held.telling.tell(newest)
    async with held.app.transaction(tenant) as connection:
        await seals.mark_published(connection, newest)
    return 0


async def _close(held: Sealing, tenant: str, attempt_id: UUID) -> bool:
    async with held.app.transaction(tenant) as connection:
        is_closed = await AnswerLogStore(connection).close_abandoned(tenant, attempt_id, at=held.clock())
    if is_closed:
        _log.warning("attempt_abandoned", attempt_id=printed("att", attempt_id))
    return is_closed


async def _seal(app: Database, tenant: str) -> int:
    """Seal one batch; say whether it was full."""
    async with app.transaction(tenant) as connection:
        end = await seals.hold_chain(connection, tenant)
        if end is None:
            return 0
        waiting = await seals.waiting_rows(connection, tenant, limit=BATCH_ROWS)
        places = [each.place for each in waiting]
        if not places:
            return 0
        values = await read_values(connection, tenant, places)
        # Hashing a batch takes some ten milliseconds; the other duties need not wait for it.
        made = await asyncio.to_thread(make_seals, places, values, end=end)
        batch = seal_batch(tenant, end.number + 1, made, previous=end.head, sealed_at=end.now)
        await seals.add_batch(connection, batch, made)
        await seals.wait_no_more(connection, tenant, waiting)
    return int(len(places) == BATCH_ROWS)


def make_seals(places: Sequence[Place], values: dict[Place, Values], *, end: End) -> list[Seal]:
    """Seal rows after the end of a chain, each with keys of its own. A row that is gone already is sealed empty."""
    made: list[Seal] = []
    after = end.head
    for position, place in enumerate(places):
        text_key = secrets.token_bytes(KEY_BYTES) if ERASABLE[place.kind] else None
        keys = Keys(secrets.token_bytes(KEY_BYTES), text_key)
        made.append(seal_row(place, values.get(place, {}), position=position, keys=keys, after=after))
        after = made[-1].link
    return made
