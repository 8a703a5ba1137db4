"""Let staff read and take along what customers think of answers."""

from collections.abc import AsyncGenerator
from datetime import datetime
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse

from bff.api.edge import CurrentEdge, Edge
from bff.api.problems import problems
from bff.api.staff import Reader
from bff.attempts.asking import check_text
from bff.judgements.judgement import Judgement, Wanted
from bff.judgements.spreadsheet import BYTE_ORDER_MARK, written_rows
from bff.judgements.store import find_judgements
from contracts.ids import printed
from contracts.model import Outgoing
from contracts.reasons import FeedbackReason, Rating
from runtime.cursors import cursor_of, read_cursor

router = APIRouter(prefix="/staff/feedback", tags=["staff"])

_PAGE: Final = 500
ShortText = Annotated[str, Query(min_length=1, max_length=200)]


class JudgementView(Outgoing):
    """A judgement beside the attempt it judged. `documents` and `areas` are what the answer cites."""

    attempt_id: str
    conversation_id: str
    rating: Rating
    reason_code: str | None
    comment: str | None
    judged_at: datetime
    corrected_at: datetime | None
    question: str
    answer: str
    refusal_code: str | None
    knowledge_version: int | None
    documents: tuple[str, ...]
    areas: tuple[str, ...]
    channel: str
    language: str
    asked_at: datetime


class JudgementPage(Outgoing):
    """Judgements, those of the newest attempts first, and where the list goes on."""

    items: tuple[JudgementView, ...]
    next_cursor: str | None


async def wanted_judgements(  # noqa: PLR0913 - the filters of a list, each by itself in the contract
    *,
    rating: Rating | None = None,
    reason: FeedbackReason | None = None,
    version: Annotated[int | None, Query(ge=1, le=2_147_483_647)] = None,
    document: ShortText | None = None,
    area: ShortText | None = None,
    channel: ShortText | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Wanted:
    """Read which judgements are asked for. Errors: as `check_text`."""
    return Wanted(
        rating=rating,
        reason_code=None if reason is None else reason.value,
        knowledge_version=version,
        document=document and check_text(document, field="document"),
        area=area and check_text(area, field="area"),
        channel=channel and check_text(channel, field="channel"),
        since=since,
        until=until,
    )


WantedJudgements = Annotated[Wanted, Depends(wanted_judgements)]


@router.get("", operation_id="listFeedback", responses=problems(401, 403))
async def list_feedback(
    staff: Reader,
    wanted: WantedJudgements,
    edge: CurrentEdge,
    cursor: str | None = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
) -> JudgementPage:
    """List what customers think of answers, with comment and attempt side by side."""
    async with edge.clients.database.transaction(staff.tenant) as connection:
        found = await find_judgements(connection, wanted, below=read_cursor(cursor), limit=limit + 1)
    shown = found[:limit]
    more = len(found) > limit
    return JudgementPage(
        items=tuple(view_of(each) for each in shown), next_cursor=cursor_of(shown[-1].attempt_id) if more else None
    )


@router.get(
    "/export",
    operation_id="exportFeedback",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/csv": {}, "application/jsonl": {}}}, **problems(401, 403)},
)
async def export_feedback(
    staff: Reader,
    wanted: WantedJudgements,
    edge: CurrentEdge,
    form: Annotated[Literal["csv", "jsonl"], Query(alias="format")] = "csv",
) -> StreamingResponse:
    """Give all judgements as CSV for spreadsheets, in which no comment becomes a formula, or as JSON lines."""
    headers = {"Content-Disposition": f'attachment; filename="feedback.{form}"'}
    if form == "jsonl":
        return StreamingResponse(_lines(edge, staff.tenant, wanted), media_type="application/jsonl", headers=headers)
    return StreamingResponse(_rows(edge, staff.tenant, wanted), media_type="text/csv", headers=headers)


async def _lines(edge: Edge, tenant: str, wanted: Wanted) -> AsyncGenerator[str]:
    async for page in _pages(edge, tenant, wanted):
        yield "".join(f"{view_of(each).model_dump_json()}\n" for each in page)


async def _rows(edge: Edge, tenant: str, wanted: Wanted) -> AsyncGenerator[str]:
    yield BYTE_ORDER_MARK + written_rows([list(JudgementView.model_json_schema()["properties"])])
    async for page in _pages(edge, tenant, wanted):
        yield written_rows([_cell(value) for value in view_of(each).model_dump(mode="json").values()] for each in page)


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
        below = page[-1].attempt_id


def _cell(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value))  # pyright: ignore[reportUnknownArgumentType]  # JSON; only lists of names are lists
    return "" if value is None else str(value)


def view_of(judgement: Judgement) -> JudgementView:
    """Show a judgement to staff."""
    return JudgementView(
        attempt_id=printed("att", judgement.attempt_id),
        conversation_id=printed("cnv", judgement.conversation_id),
        rating=judgement.rating,
        reason_code=judgement.reason_code,
        comment=judgement.comment,
        judged_at=judgement.judged_at,
        corrected_at=judgement.corrected_at,
        question=judgement.question,
        answer=judgement.answer,
        refusal_code=judgement.refusal_code,
        knowledge_version=judgement.knowledge_version,
        documents=judgement.documents,
        areas=judgement.areas,
        channel=judgement.channel,
        language=judgement.language,
        asked_at=judgement.asked_at,
    )
