"""The review queue: doubtful answers, one reviewer each, and what the reviewer found."""

import asyncio
from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field
from sqlalchemy.ext.asyncio import AsyncConnection

from contracts.ids import MalformedIdError, parsed
from contracts.model import Outgoing
from knowledge.adapters.review_measures import count_verdict
from knowledge.api.dependencies import WithResources, acting
from knowledge.api.parameters import AttemptPath
from knowledge.api.places import NOT_BLANK, cursor_of, read_cursor, refuse_control
from knowledge.api.problems import PROBLEMS
from knowledge.api.review_views import (
    NextItem,
    ReviewDetail,
    ReviewItemView,
    ReviewPage,
    VerdictView,
    detail_view,
    verdict_view,
)
from knowledge.api.roles import Reviewer
from knowledge.review.item import Finding, Item, ItemNotFoundError, Layer, ReviewReason
from knowledge.review.store import queue
from knowledge.review.store.details import read_detail, texts_of
from knowledge.review.store.verdicts import add_verdict
from personal_data.masking import mask
from runtime.paging import PageSize

router = APIRouter(prefix="/v1/staff/review", tags=["review"], responses=PROBLEMS)

_LONGEST_CURSOR: Final = 500
_LONGEST_NOTE: Final = 2_000
# What the column of a verdict's number holds.
_MOST_VERDICTS: Final = 2_147_483_647

Note = Annotated[
    str,
    NOT_BLANK,
    Field(max_length=_LONGEST_NOTE),
    AfterValidator(refuse_control),
]


class VerdictRequest(Outgoing):
    """Where the system went wrong, CORRECT if it did not, and what others should know. Personal data are masked."""

    layer: Layer
    note: Note | None = None
    seen: Annotated[
        int, Field(ge=0, le=_MOST_VERDICTS, description="The number of the last verdict you have read; 0 for none")
    ] = 0


class _Cursor(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)

    priority: int = Field(ge=0, le=32_767)
    waiting_since: AwareDatetime
    attempt_id: UUID


@router.get("/items", summary="List doubtful answers that wait for a person")
async def get_items(
    staff: Reviewer,
    held: WithResources,
    reason: Annotated[
        ReviewReason | None, Query(description="Only items that wait for this reason, among others")
    ] = None,
    cursor: Annotated[str, Query(max_length=_LONGEST_CURSOR, description="The `nextCursor` of the page before")] = "",
    limit: PageSize = 50,
) -> ReviewPage:
    """List open items, the most pressing first and then the longest waiting."""
    after = _place(cursor) if cursor else None
    async with held.database.transaction(staff.claims.tenant) as connection:
        found = await queue.list_items(connection, after=after, limit=limit + 1, reason=reason)
        shown = found[:limit]
        texts = await texts_of(connection, [each.attempt_id for each in shown])
    items = tuple(ReviewItemView.of(each, texts.get(each.attempt_id)) for each in shown)
    return ReviewPage(items=items, next_cursor=_cursor(shown[-1]) if len(found) > limit else None)


@router.post("/take", summary="Take the most pressing item that nobody has")
async def post_take_next(staff: Reviewer, held: WithResources) -> NextItem:
    """Take an item for half an hour. Each reviewer gets another one."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        item = await queue.take_next(connection, reviewer=staff.claims.actor)
        return NextItem(item=None if item is None else await _view(connection, item))


@router.get("/items/{attempt_id}", summary="Read an item with all that is known of its attempt")
async def get_item(attempt_id: AttemptPath, staff: Reviewer, held: WithResources) -> ReviewDetail:
    """Give the masked question, how it was read and routed, what was found and written, and what was said of it."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        return detail_view(await read_detail(connection, known_attempt(attempt_id)))


@router.post("/items/{attempt_id}/take", summary="Take an item")
async def post_take(attempt_id: AttemptPath, staff: Reviewer, held: WithResources) -> ReviewItemView:
    """Take an open item for half an hour. A repeat begins the half hour anew."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        taken = await queue.take(connection, known_attempt(attempt_id), reviewer=staff.claims.actor)
        return await _view(connection, taken)


@router.post("/items/{attempt_id}/renew", summary="Keep an item for longer")
async def post_renewal(attempt_id: AttemptPath, staff: Reviewer, held: WithResources) -> ReviewItemView:
    """Begin the half hour anew while it lasts."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        renewed = await queue.renew(connection, known_attempt(attempt_id), reviewer=staff.claims.actor)
        return await _view(connection, renewed)


@router.post("/items/{attempt_id}/release", summary="Give an item back")
async def post_release(attempt_id: AttemptPath, staff: Reviewer, held: WithResources) -> ReviewItemView:
    """Let others take an item that one has. A repeat changes nothing."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        released = await queue.release(connection, known_attempt(attempt_id), reviewer=staff.claims.actor)
        return await _view(connection, released)


@router.post("/items/{attempt_id}/verdicts", summary="Say what was wrong, or that nothing was")
async def post_verdict(
    attempt_id: AttemptPath, body: VerdictRequest, staff: Reviewer, held: WithResources
) -> VerdictView:
    """Add a verdict and close the item. One on a closed item is added too; nothing is overwritten.

    Where a verdict is there that `seen` does not name, the answer is 409 VERDICT_MEANWHILE. A repeat gives the same one.
    """
    note = None if body.note is None else await asyncio.to_thread(mask, body.note)
    finding = Finding(layer=body.layer, note=note, seen=body.seen)
    async with held.database.transaction(staff.claims.tenant) as connection:
        verdict, is_new = await add_verdict(connection, acting(staff), known_attempt(attempt_id), finding)
    if is_new:
        count_verdict(verdict.layer)
    return verdict_view(verdict)


def known_attempt(text: str) -> UUID:
    """Read the id of an attempt. Errors: ItemNotFoundError for anything else."""
    try:
        return parsed("att", text)
    except MalformedIdError as malformed:
        raise ItemNotFoundError from malformed


async def _view(connection: AsyncConnection, item: Item) -> ReviewItemView:
    texts = await texts_of(connection, [item.attempt_id])
    return ReviewItemView.of(item, texts.get(item.attempt_id))


def _cursor(item: Item) -> str:
    place = _Cursor(priority=item.priority, waiting_since=item.waiting_since, attempt_id=item.attempt_id)
    return cursor_of(place)


def _place(cursor: str) -> queue.Place:
    place = read_cursor(_Cursor, cursor)
    waiting_since: datetime = place.waiting_since
    return queue.Place(priority=place.priority, waiting_since=waiting_since, attempt_id=place.attempt_id)
