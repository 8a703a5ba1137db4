"""Which messages of other services could not be taken, and why."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

from contracts.model import Outgoing
from knowledge.api.dependencies import PROBLEMS, WithResources
from knowledge.api.places import cursor_of, read_cursor, refuse_control
from knowledge.api.roles import Operator
from knowledge.review.store.parking import Parked, list_parked

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


class _Cursor(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)

    at: AwareDatetime
    message_id: Annotated[str, Field(max_length=200), AfterValidator(refuse_control)]


@router.get("/parked", summary="List messages that could not be taken")
async def get_parked(
    staff: Operator,
    held: WithResources,
    cursor: Annotated[str, Query(max_length=600, description="The `nextCursor` of the page before")] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
) -> UntakenPage:
    """List messages about attempts that were put aside, newest first."""
    before = _place(cursor) if cursor else None
    async with held.database.transaction(staff.claims.tenant) as connection:
        found = await list_parked(connection, before=before, limit=limit + 1)
    items = tuple(UntakenMessage.model_validate(each, from_attributes=True) for each in found[:limit])
    return UntakenPage(items=items, next_cursor=_cursor(found[limit - 1]) if len(found) > limit else None)


def _cursor(message: Parked) -> str:
    place = _Cursor(at=message.parked_at, message_id=message.message_id)
    return cursor_of(place)


def _place(cursor: str) -> tuple[datetime, str]:
    place = read_cursor(_Cursor, cursor)
    return place.at, place.message_id
