"""Let staff read and take along what customers think of answers."""

from collections.abc import AsyncGenerator
from typing import Annotated, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse
from pydantic import AwareDatetime

from bff.api.edge import CurrentEdge, Edge
from bff.api.problems import problems
from bff.api.staff import Reader, typed
from bff.judgements.judgement import Judgement, Wanted
from bff.judgements.spreadsheet import BYTE_ORDER_MARK, written_rows
from bff.judgements.store import find_judgements
from contracts.ids import parsed
from contracts.model import Outgoing
from contracts.reasons import FeedbackReason, Rating
from runtime.cursors import cursor_of, read_cursor
from runtime.paging import NextCursor, PageSize

router = APIRouter(prefix="/staff/feedback", tags=["staff"])

_PAGE: Final = 500
DocumentName = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=200,
        description="Only answers that cite this document, by its slug",
        examples=["returns/shipping"],
    ),
]
AreaName = Annotated[
    str | None,
    Query(
        min_length=1, max_length=200, description="Only answers that cite this field of business", examples=["returns"]
    ),
]
ChannelName = Annotated[
    str | None, Query(min_length=1, max_length=200, description="Only attempts of this channel", examples=["web"])
]
Since = Annotated[
    AwareDatetime | None,
    Query(description="Only judged at this moment or later, with its offset", examples=["2026-11-01T00:00:00Z"]),
]
Until = Annotated[
    AwareDatetime | None,
    Query(description="Only judged before this moment, with its offset", examples=["2026-12-01T00:00:00Z"]),
]


class JudgementPage(Outgoing):
    """Judgements, those of the newest attempts first, and where the list goes on."""

    items: tuple[Judgement, ...]
    next_cursor: str | None


async def wanted_judgements(  # noqa: PLR0913 - the filters of a list, each by itself in the contract
    *,
    rating: Annotated[Rating | None, Query(description="Only judgements that say this")] = None,
    reason: Annotated[FeedbackReason | None, Query(description="Only judgements for this reason")] = None,
    version: Annotated[
        int | None,
        Query(ge=1, le=2_147_483_647, description="Only answers of the version with this number", examples=[12]),
    ] = None,
    document: DocumentName = None,
    area: AreaName = None,
    channel: ChannelName = None,
    since: Since = None,
    until: Until = None,
) -> Wanted:
    """Read which judgements are asked for. Errors: as `typed`."""
    return Wanted(
        rating=rating,
        reason_code=None if reason is None else reason.value,
        knowledge_version=version,
        document=document and typed(document, field="document"),
        area=area and typed(area, field="area"),
        channel=channel and typed(channel, field="channel"),
        since=since,
        until=until,
    )


WantedJudgements = Annotated[Wanted, Depends(wanted_judgements)]


@router.get("", operation_id="listFeedback", responses=problems(401, 403))
async def list_feedback(
    staff: Reader,
    wanted: WantedJudgements,
    edge: CurrentEdge,
    cursor: NextCursor = None,
    limit: PageSize = 50,
) -> JudgementPage:
    """List what customers think of answers, with comment and attempt side by side."""
    async with edge.clients.database.transaction(staff.tenant) as connection:
        found = await find_judgements(connection, wanted, below=read_cursor(cursor), limit=limit + 1)
    shown = found[:limit]
    more = len(found) > limit
    return JudgementPage(items=shown, next_cursor=cursor_of(_place_of(shown[-1])) if more else None)


@router.get(
    "/export",
    operation_id="exportFeedback",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "All judgements, those of the newest attempts first: a row or a line each",
            "content": {"text/csv": {}, "application/jsonl": {}},
        },
        **problems(401, 403),
    },
)
async def export_feedback(
    staff: Reader,
    wanted: WantedJudgements,
    edge: CurrentEdge,
    form: Annotated[
        Literal["csv", "jsonl"], Query(alias="format", description="`csv` for spreadsheets, `jsonl` for programs")
    ] = "csv",
) -> StreamingResponse:
    """Give all judgements as CSV for spreadsheets, in which no comment becomes a formula, or as JSON lines."""
    headers = {"Content-Disposition": f'attachment; filename="feedback.{form}"'}
    if form == "jsonl":
        return StreamingResponse(_lines(edge, staff.tenant, wanted), media_type="application/jsonl", headers=headers)
    return StreamingResponse(_rows(edge, staff.tenant, wanted), media_type="text/csv", headers=headers)


async def _lines(edge: Edge, tenant: str, wanted: Wanted) -> AsyncGenerator[str]:
    async for page in _pages(edge, tenant, wanted):
        yield "".join(f"{each.model_dump_json()}\n" for each in page)


async def _rows(edge: Edge, tenant: str, wanted: Wanted) -> AsyncGenerator[str]:
    yield BYTE_ORDER_MARK + written_rows([list(Judgement.model_json_schema()["properties"])])
    async for page in _pages(edge, tenant, wanted):
        yield written_rows([_cell(value) for value in each.model_dump(mode="json").values()] for each in page)


async def _pages(edge: Edge, tenant: str, wanted: Wanted) -> AsyncGenerator[tuple[Judgement, ...]]:
    # One transaction a page: the reader may be slow.
    below = None
    while True:
        async with edge.clients.database.transaction(tenant) as connection:
            page = await find_judgements(connection, wanted, below=below, limit=_PAGE)
        if page:
            yield page
        if len(page) < _PAGE:
            return
        below = _place_of(page[-1])


def _place_of(judgement: Judgement) -> UUID:
    return parsed("att", judgement.attempt_id)


def _cell(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value))  # pyright: ignore[reportUnknownArgumentType]  # JSON; only lists of names are lists
    return "" if value is None else str(value)
