"""The notices to owners, and where each went."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query

from contracts.errors import InvalidRequestError
from contracts.ids import MalformedIdError, parsed, printed
from contracts.model import Outgoing
from knowledge.api.dependencies import WithResources, acting
from knowledge.api.parameters import NoticePath
from knowledge.api.problems import PROBLEMS
from knowledge.api.roles import Examiner, Reader
from knowledge.versions.notices import Notice, NoticeKind, NoticeNotFoundError
from knowledge.versions.store.notices import list_notices, send_again
from runtime.paging import PageSize

router = APIRouter(prefix="/v1/staff/notices", tags=["notices"], responses=PROBLEMS)


class DeliveryView(Outgoing):
    """Where a notice went or is on its way to."""

    channel: Literal["webhook", "email"]
    state: Literal["PENDING", "DELIVERED", "GIVEN_UP"]
    tries: int
    delivered_at: datetime | None
    reason: str | None


class NoticeView(Outgoing):
    """A notice. There is one of a kind for a subject and a period."""

    notice_id: str
    kind: NoticeKind
    subject: str
    period: str
    items: tuple[dict[str, str | int | None], ...]
    created_at: datetime
    deliveries: tuple[DeliveryView, ...]


class NoticePage(Outgoing):
    """A page of notices, newest first."""

    items: tuple[NoticeView, ...]
    next_cursor: str | None


@router.get("", summary="List notices to owners")
async def get_notices(
    staff: Reader,
    held: WithResources,
    kind: Annotated[NoticeKind | None, Query(description="Only notices of this kind")] = None,
    cursor: Annotated[
        str | None,
        Query(
            description="The `nextCursor` of the page before: the notice it ended with",
            examples=["ntc_01932f7a6b2c7d3e8f90a1b2c3d4e5f6"],
        ),
    ] = None,
    limit: PageSize = 50,
) -> NoticePage:
    """List notices, newest first, each with what became of its deliveries."""
    before = None if cursor is None else _id(cursor)
    async with held.database.transaction(staff.claims.tenant) as connection:
        found = await list_notices(connection, before=before, limit=limit + 1, kind=kind)
    items = tuple(_view(each) for each in found[:limit])
    return NoticePage(items=items, next_cursor=items[-1].notice_id if len(found) > limit else None)


@router.post("/{notice_id}/resend", summary="Send a notice again")
async def post_resend(notice_id: NoticePath, staff: Examiner, held: WithResources) -> NoticeView:
    """Deliver a notice anew over every channel that has arrived or was given up, under the id it has.

    A repeat changes nothing while it is on its way. Without a channel nothing is sent: the notice is only listed.
    """
    try:
        wanted = parsed("ntc", notice_id)
    except MalformedIdError as malformed:
        raise NoticeNotFoundError from malformed
    async with held.database.transaction(staff.claims.tenant) as connection:
        return _view(await send_again(connection, acting(staff), notice_id=wanted))


def _id(cursor: str) -> UUID:
    try:
        return parsed("ntc", cursor)
    except MalformedIdError as malformed:
        raise InvalidRequestError("cursor: not one of ours.") from malformed


def _view(notice: Notice) -> NoticeView:
    return NoticeView(
        notice_id=printed("ntc", notice.notice_id),
        kind=notice.kind,
        subject=notice.subject,
        period=notice.period,
        items=tuple(dict(item) for item in notice.items),
        created_at=notice.created_at,
        deliveries=tuple(DeliveryView.model_validate(each, from_attributes=True) for each in notice.deliveries),
    )
