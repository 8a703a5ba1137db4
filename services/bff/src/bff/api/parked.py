"""Let staff read which messages to bff were put aside, and why."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query

from bff.api.edge import CurrentEdge
from bff.api.problems import problems
from bff.api.staff import Support
from bff.inbox.store import PARKING
from contracts.ids import printed
from contracts.model import Outgoing
from runtime.cursors import cursor_of, read_cursor
from runtime.parking import Parked

router = APIRouter(prefix="/staff/parked-news", tags=["staff"])


class ParkedNews(Outgoing):
    """A message that was put aside, and why. What it says stays with its sender."""

    parked_id: str
    message_id: str
    type: str
    attempt_id: str | None
    reason: str
    detail: str
    parked_at: datetime


class ParkedNewsPage(Outgoing):
    """Parked messages, the newest first, and where the list goes on."""

    items: tuple[ParkedNews, ...]
    next_cursor: str | None


@router.get("", operation_id="listParkedNews", responses=problems(401, 403))
async def list_parked_news(
    staff: Support,
    edge: CurrentEdge,
    *,
    cursor: Annotated[str | None, Query(max_length=32)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> ParkedNewsPage:
    """List messages that could not be followed, the newest first."""
    async with edge.clients.database.transaction(staff.tenant) as connection:
        rows = await connection.run_sync(PARKING.newest, below=read_cursor(cursor), limit=limit + 1)
    shown = rows[:limit]
    more = cursor_of(shown[-1].parked_id) if len(rows) > limit else None
    return ParkedNewsPage(items=tuple(_entry(row) for row in shown), next_cursor=more)


def _entry(row: Parked) -> ParkedNews:
    return ParkedNews(
        parked_id=printed("msg", row.parked_id),
        message_id=row.message_id,
        type=row.type,
        attempt_id=row.attempt_id,
        reason=row.reason,
        detail=row.detail,
        parked_at=row.parked_at,
    )
