"""The queue itself: opened once an attempt, taken under a lease, closed by a verdict, opened again by news."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    case,
    delete,
    func,
    literal,
    null,
    or_,
    select,
    text,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.review.item import (
    PRIORITIES,
    HeldByAnotherError,
    Item,
    ItemClosedError,
    ItemNotFoundError,
    NotHeldError,
    ReviewReason,
)
from knowledge.tables.review import (
    knowledge_proposal,
    review_escalation,
    review_item,
    review_judgement,
    review_verdict,
)

# Long enough to read sources and write a note; a reviewer who closes the lid gives the item back in time.
LEASE_MINUTES: Final = 30

_ITEM: Final = review_item.c
_NOW: Final = func.clock_timestamp()
_LEASE_END: Final = text(f"clock_timestamp() + interval '{LEASE_MINUTES} minutes'")
# An attempt without an item has no row that could be locked.
_HOLD_OFF: Final = text("SELECT pg_advisory_xact_lock(hashtextextended(:attempt, 0))")
_FREE: Final = or_(_ITEM.held_until.is_(None), _ITEM.held_until <= _NOW)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a page of the queue ended."""

    priority: int
    waiting_since: datetime
    attempt_id: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How many open items nobody has, how many somebody has, and how long the oldest has waited."""

    free: int
    held: int
    oldest_seconds: float


def opening(*, tenant: str, attempt_id: UUID, reason: ReviewReason, at: datetime) -> Insert:
    """Build the statement that brings an attempt before a person; it runs on either kind of connection.

    Repeat: an attempt has one item. A reason that is new to it is added and opens it again if it was closed; one that
    it has already changes nothing, so that a repeated message wakes nobody. What was erased stays so.
    """
    adding, excluded = _adding(tenant=tenant, attempt_id=attempt_id, reason=reason, at=at)
    return _raised(adding, excluded, where=~_ITEM.reasons.contains([reason]))


def reopening(*, tenant: str, attempt_id: UUID, reason: ReviewReason, at: datetime) -> Insert:
    """Build the statement for news about an attempt: as `opening`, and a closed item opens for a known reason too."""
    adding, excluded = _adding(tenant=tenant, attempt_id=attempt_id, reason=reason, at=at)
    return _raised(adding, excluded, where=literal(True))


def erase(connection: Connection, *, attempt_ids: Sequence[UUID]) -> None:
    """Forget what customers and reviewers wrote about attempts.

    The items stay as ERASED, and one is made where there was none, so that a message that comes late stores nothing.
    Layers of verdicts stay, their notes go; a proposal keeps the reviewer's text and loses the question.
    Repeat: nothing is left to forget.
    """
    hold_off(connection, attempt_ids)
    # The items first: who judges one has its row, so that what is being written is there by then, or comes too late.
    for attempt_id in sorted(attempt_ids):
        connection.execute(_erasing(attempt_id))
    for said in (review_judgement, review_escalation):
        connection.execute(delete(said).where(said.c.attempt.in_(attempt_ids)))
    for table, told in ((review_verdict, "note"), (knowledge_proposal, "question")):
        connection.execute(update(table).where(table.c.attempt.in_(attempt_ids)).values({told: None}))


def hold_off(connection: Connection, attempt_ids: Sequence[UUID]) -> None:
    """Keep news about attempts and their erasure apart until the transaction ends."""
    for attempt_id in sorted(attempt_ids):
        connection.execute(_HOLD_OFF, {"attempt": f"review:{attempt_id}"})


async def is_erased(connection: AsyncConnection, attempt_id: UUID) -> bool:
    """Say whether an attempt was erased, and keep its erasure apart until the transaction ends."""
    await connection.run_sync(hold_off, (attempt_id,))
    erased = select(_ITEM.attempt).where(_ITEM.attempt == attempt_id, _ITEM.state == "ERASED")
    return (await connection.execute(erased)).one_or_none() is not None


async def find_item(connection: AsyncConnection, attempt_id: UUID) -> Item:
    """Give an item. Errors: ItemNotFoundError."""
    row = (await connection.execute(_items().where(_ITEM.attempt == attempt_id))).one_or_none()
    if row is None:
        raise ItemNotFoundError
    return _item(row)


async def list_items(
    connection: AsyncConnection, *, after: Place | None, limit: int, reason: ReviewReason | None = None
) -> list[Item]:
    """List open items, the most pressing first and then the longest waiting, after a place."""
    listing = _items().where(_ITEM.state == "OPEN")
    if reason is not None:
        listing = listing.where(_ITEM.reasons.contains([reason]))
    if after is not None:
        listing = listing.where(_is_after(after))
    rows = await connection.execute(listing.order_by(*_ORDER).limit(limit))
    return [_item(row) for row in rows]


async def count_waiting(connection: AsyncConnection) -> Waiting:
    """Count what waits in all tenants, and since when: for the sweeper."""
    counting = select(
        func.count().filter(_FREE).label("free"),
        func.count().filter(~_FREE).label("held"),
        func.extract("epoch", _NOW - func.min(_ITEM.waiting_since)).label("oldest"),
    ).where(_ITEM.state == "OPEN")
    row = (await connection.execute(counting)).one()
    return Waiting(free=row.free, held=row.held, oldest_seconds=float(row.oldest or 0))


async def take(connection: AsyncConnection, attempt_id: UUID, *, reviewer: str) -> Item:
    """Give an open item to a reviewer for half an hour. Repeat: the holder's lease begins anew.

    Errors: ItemNotFoundError, ItemClosedError, HeldByAnotherError while another's lease lasts.
    """
    mine = or_(_FREE, _ITEM.held_by == reviewer)
    if await _lease(connection, and_(_ITEM.attempt == attempt_id, mine), reviewer=reviewer) is None:
        await _refuse(connection, attempt_id, HeldByAnotherError)
    return await find_item(connection, attempt_id)


async def take_next(connection: AsyncConnection, *, reviewer: str) -> Item | None:
    """Give the most pressing item that nobody has to a reviewer; None when there is none."""
    free = select(_ITEM.attempt).where(_ITEM.state == "OPEN", _FREE).order_by(*_ORDER).limit(1)
    found = (await connection.execute(free.with_for_update(skip_locked=True))).scalar_one_or_none()
    if found is None:
        return None
    await _lease(connection, _ITEM.attempt == found, reviewer=reviewer)
    return await find_item(connection, found)


async def renew(connection: AsyncConnection, attempt_id: UUID, *, reviewer: str) -> Item:
    """Begin a reviewer's lease anew. Errors: ItemNotFoundError, ItemClosedError, NotHeldError when it is over."""
    if await _lease(connection, _held(attempt_id, reviewer), reviewer=reviewer) is None:
        await _refuse(connection, attempt_id, NotHeldError)
    return await find_item(connection, attempt_id)


async def release(connection: AsyncConnection, attempt_id: UUID, *, reviewer: str) -> Item:
    """Give an item back to the queue. Repeat: what is not held by this reviewer stays as it is.

    Errors: ItemNotFoundError.
    """
    given = update(review_item).where(_ITEM.attempt == attempt_id, _ITEM.held_by == reviewer)
    await connection.execute(given.values(held_by=None, held_until=None))
    return await find_item(connection, attempt_id)


async def lock(connection: AsyncConnection, attempt_id: UUID) -> Item:
    """Give an item and keep others from changing it until the transaction ends. Errors: ItemNotFoundError."""
    await connection.execute(select(_ITEM.attempt).where(_ITEM.attempt == attempt_id).with_for_update())
    return await find_item(connection, attempt_id)


async def close(connection: AsyncConnection, attempt_id: UUID) -> None:
    """Close an item that the caller has locked. Repeat: the first time stays."""
    closing = update(review_item).where(_ITEM.attempt == attempt_id, _ITEM.state == "OPEN")
    await connection.execute(closing.values(state="CLOSED", closed_at=_NOW, held_by=None, held_until=None))


_ORDER: Final = (_ITEM.priority, _ITEM.waiting_since, _ITEM.attempt)


def _adding(*, tenant: str, attempt_id: UUID, reason: ReviewReason, at: datetime) -> tuple[Insert, Any]:  # excluded
    adding = insert(review_item).values(
        tenant=tenant,
        attempt=attempt_id,
        reasons=[reason],
        priority=PRIORITIES[reason],
        state="OPEN",
        opened_at=at,
        waiting_since=at,
    )
    return adding, adding.excluded


def _raised(adding: Insert, excluded: Any, *, where: ColumnElement[bool]) -> Insert:  # the columns of `excluded`
    closed = _ITEM.state == "CLOSED"
    known = _ITEM.reasons.contains(excluded.reasons)
    return adding.on_conflict_do_update(
        index_elements=[_ITEM.tenant, _ITEM.attempt],
        set_={
            "reasons": case((known, _ITEM.reasons), else_=_ITEM.reasons.concat(excluded.reasons)),
            "priority": func.least(_ITEM.priority, excluded.priority),
            "state": "OPEN",
            "waiting_since": case((closed, excluded.waiting_since), else_=_ITEM.waiting_since),
            "closed_at": null(),
        },
        where=and_(_ITEM.state != "ERASED", where),
    )


def _erasing(attempt_id: UUID) -> Insert:
    reasons: list[str] = []
    adding = insert(review_item).values(
        tenant=func.current_setting("youju.tenant"),
        attempt=attempt_id,
        reasons=reasons,
        priority=0,
        state="ERASED",
        opened_at=_NOW,
        waiting_since=_NOW,
        closed_at=_NOW,
    )
    ended = {"state": "ERASED", "closed_at": func.coalesce(_ITEM.closed_at, _NOW), "held_by": None, "held_until": None}
    return adding.on_conflict_do_update(index_elements=[_ITEM.tenant, _ITEM.attempt], set_=ended)


async def _lease(connection: AsyncConnection, which: ColumnElement[bool], *, reviewer: str) -> UUID | None:
    taking = update(review_item).where(_ITEM.state == "OPEN", which)
    leased = taking.values(held_by=reviewer, held_until=_LEASE_END).returning(_ITEM.attempt)
    return (await connection.execute(leased)).scalar_one_or_none()


async def _refuse(connection: AsyncConnection, attempt_id: UUID, held: type[HeldByAnotherError | NotHeldError]) -> None:
    """Say why an item could not be taken. Errors: ItemNotFoundError, ItemClosedError, else the one given."""
    if (await find_item(connection, attempt_id)).state != "OPEN":
        raise ItemClosedError
    raise held


def _held(attempt_id: UUID, reviewer: str) -> ColumnElement[bool]:
    return and_(_ITEM.attempt == attempt_id, _ITEM.held_by == reviewer, _ITEM.held_until > _NOW)


def _is_after(place: Place) -> ColumnElement[bool]:
    # One comparison of rows: unlike a chain of alternatives, an index leads straight to it.
    shown = (place.priority, place.waiting_since, place.attempt_id)
    return tuple_(*_ORDER) > tuple_(*(literal(value, column.type) for value, column in zip(shown, _ORDER, strict=True)))


def _items() -> Select[Any]:  # a row of columns of several types
    verdicts = (
        select(func.count()).where(review_verdict.c.attempt == _ITEM.attempt).correlate(review_item).scalar_subquery()
    )
    return select(review_item, (~_FREE).label("is_held"), verdicts.label("verdicts"))


def _item(row: Row[Any]) -> Item:  # as above
    return Item(
        attempt_id=row.attempt,
        reasons=tuple(reason for reason in ReviewReason if reason in row.reasons),
        priority=row.priority,
        state=row.state,
        opened_at=row.opened_at,
        waiting_since=row.waiting_since,
        held_by=row.held_by if row.is_held else None,
        held_until=row.held_until if row.is_held else None,
        verdicts=row.verdicts,
    )
