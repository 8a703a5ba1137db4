"""Let staff read why messages were put aside, and send them through again."""

from datetime import datetime

from fastapi import APIRouter

from contracts.ids import printed, uuid7
from contracts.model import Outgoing
from runtime.addresses import ParkedPath
from runtime.cursors import cursor_of, read_cursor
from runtime.paging import NextCursor, PageSize
from runtime.parking import Parked
from runtime.replaying import send_again
from ticketing.api.problems import problems
from ticketing.api.transactions import Transaction
from ticketing.tasks.edge import SERVICE
from ticketing.tickets.store.parking import PARKING
from ticketing.tickets.store.telling import OUTBOX

router = APIRouter(prefix="/v1/staff/parked", tags=["parked"])


class ParkedEntry(Outgoing):
    """A message that was put aside, and why. What it says is not shown."""

    parked_id: str
    message_id: str
    type: str
    attempt_id: str | None
    reason: str
    detail: str
    parked_at: datetime


class ParkedPage(Outgoing):
    """Parked messages, the newest first, and where the list goes on."""

    items: tuple[ParkedEntry, ...]
    next_cursor: str | None


@router.get("", responses=problems(403))
async def list_parked(
    connection: Transaction,
    *,
    cursor: NextCursor = None,
    limit: PageSize = 20,
) -> ParkedPage:
    """List messages that were put aside and not sent through again, the newest first."""
    rows = await connection.run_sync(PARKING.newest, below=read_cursor(cursor), limit=limit + 1)
    shown = rows[:limit]
    more = cursor_of(shown[-1].parked_id) if len(rows) > limit else None
    return ParkedPage(items=tuple(_entry(row) for row in shown), next_cursor=more)


@router.post("/{parked_id}/replay", responses=problems(403, 404, 409))
async def replay(connection: Transaction, parked_id: ParkedPath) -> ParkedEntry:
    """Send a message through again; it may be parked anew. Errors: 404; 409 without an envelope."""
    return _entry(await send_again(connection, PARKING, parked_id, table=OUTBOX, queue=SERVICE, new_id=uuid7))


def _entry(row: Parked) -> ParkedEntry:
    return ParkedEntry(
        parked_id=printed("msg", row.parked_id),
        message_id=row.message_id,
        type=row.type,
        attempt_id=row.attempt_id,
        reason=row.reason,
        detail=row.detail,
        parked_at=row.parked_at,
    )
