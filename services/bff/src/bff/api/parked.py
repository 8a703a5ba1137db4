"""Let staff read why messages to bff were put aside, and send them through again."""

from datetime import datetime

from fastapi import APIRouter

from bff.api.edge import CurrentEdge
from bff.api.problems import problems
from bff.api.staff import Support
from bff.escalations.store import OUTBOX_TABLE
from bff.inbox.store import PARKING
from bff.tasks.tickets import SOURCE
from contracts.ids import printed
from contracts.model import Outgoing
from runtime.addresses import ParkedPath
from runtime.cursors import cursor_of, read_cursor
from runtime.paging import NextCursor, PageSize
from runtime.parking import Parked
from runtime.replaying import send_again

router = APIRouter(prefix="/staff/parked-news", tags=["staff"])


class ParkedNews(Outgoing):
    """A message that was put aside, and why. What it says is not shown, and not kept for an attempt that is gone."""

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
    cursor: NextCursor = None,
    limit: PageSize = 20,
) -> ParkedNewsPage:
    """List messages that could not be followed, the newest first."""
    async with edge.clients.database.transaction(staff.tenant) as connection:
        rows = await connection.run_sync(PARKING.newest, below=read_cursor(cursor), limit=limit + 1)
    shown = rows[:limit]
    more = cursor_of(shown[-1].parked_id) if len(rows) > limit else None
    return ParkedNewsPage(items=tuple(_entry(row) for row in shown), next_cursor=more)


@router.post("/{parked_id}/replay", operation_id="replayParkedNews", responses=problems(401, 403, 404, 409))
async def replay_parked_news(staff: Support, edge: CurrentEdge, *, parked_id: ParkedPath) -> ParkedNews:
    """Send a message through again; it may be parked anew. Errors: 404; 409 when it was not kept."""
    clients = edge.clients
    async with clients.database.transaction(staff.tenant) as connection:
        sent = await send_again(connection, PARKING, parked_id, table=OUTBOX_TABLE, queue=SOURCE, new_id=clients.new_id)
    return _entry(sent)


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
