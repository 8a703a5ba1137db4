"""Which messages of other services could not be taken, and why."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query

from contracts.model import Outgoing
from knowledge.api.dependencies import WithResources
from knowledge.api.problems import PROBLEMS
from knowledge.api.roles import Operator
from knowledge.review.store.parking import PARKING
from runtime.cursors import cursor_of, read_cursor
from runtime.paging import PageSize

router = APIRouter(prefix="/v1/staff/inbox", tags=["review"], responses=PROBLEMS)


class UntakenMessage(Outgoing):
    """A message that was acknowledged without being taken. What it says stays with its sender."""

    message_id: str
    type: str
    source: str
    attempt_id: str | None
    reason: Literal["MALFORMED", "UNKNOWN_VERSION", "POISON"]
    detail: str
    parked_at: datetime


class UntakenPage(Outgoing):
    """A page of messages, newest first."""

    items: tuple[UntakenMessage, ...]
    next_cursor: str | None


@router.get("/parked", summary="List messages that could not be taken")
async def get_parked(
    staff: Operator,
    held: WithResources,
    cursor: Annotated[str, Query(max_length=600, description="The `nextCursor` of the page before")] = "",
    limit: PageSize = 50,
) -> UntakenPage:
    """List messages about attempts that were put aside, newest first."""
    below = read_cursor(cursor or None)
    async with held.database.transaction(staff.claims.tenant) as connection:
        found = await connection.run_sync(PARKING.newest, below=below, limit=limit + 1)
    items = tuple(UntakenMessage.model_validate(each, from_attributes=True) for each in found[:limit])
    more = cursor_of(found[limit - 1].parked_id) if len(found) > limit else None
    return UntakenPage(items=items, next_cursor=more)
