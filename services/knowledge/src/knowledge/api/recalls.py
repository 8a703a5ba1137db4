"""Which answers of the past cited a document."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from contracts.errors import InvalidRequestError
from contracts.ids import printed
from contracts.model import Outgoing
from knowledge.api.dependencies import WithResources
from knowledge.api.parameters import SlugPath
from knowledge.api.places import known_slug, revision_id
from knowledge.api.problems import PROBLEMS
from knowledge.api.roles import Reader
from knowledge.review.recall import CitingAnswer
from knowledge.review.store.recalls import list_citing
from runtime.paging import PageSize

router = APIRouter(prefix="/v1/staff", tags=["documents"], responses=PROBLEMS)


class CitingAnswerView(Outgoing):
    """An answer that cited a revision of the document. The question is masked, and null where it was erased."""

    attempt_id: str
    revision_id: str
    label: str
    question: str | None
    closed_at: datetime


class CitingAnswerPage(Outgoing):
    """A page of answers, newest first."""

    items: tuple[CitingAnswerView, ...]
    next_cursor: str | None


@router.get("/documents/{slug:path}/answers", summary="List answers that cited a document")
async def get_answers(  # noqa: PLR0913 - FastAPI hands the parts of a request over one by one
    slug: SlugPath,
    staff: Reader,
    held: WithResources,
    *,
    revision: Annotated[
        str | None,
        Query(
            description="Only answers that cited this revision: `rev_` and 32 hexadecimal digits",
            examples=["rev_01932f7a6b2c7d3e8f90a1b2c3d4e5f6"],
        ),
    ] = None,
    cursor: Annotated[str, Query(max_length=200, description="The `nextCursor` of the page before")] = "",
    limit: PageSize = 50,
) -> CitingAnswerPage:
    """List answers that cited a text of the document, newest first; a withdrawn document has them too."""
    wanted = None if revision is None else revision_id(revision)
    after = _place(cursor) if cursor else None
    async with held.database.transaction(staff.claims.tenant) as connection:
        found = await list_citing(connection, slug=known_slug(slug), revision_id=wanted, after=after, limit=limit + 1)
    items = tuple(_view(each) for each in found[:limit])
    return CitingAnswerPage(items=items, next_cursor=_cursor(found[limit - 1]) if len(found) > limit else None)


def _view(answer: CitingAnswer) -> CitingAnswerView:
    return CitingAnswerView(
        attempt_id=printed("att", answer.attempt_id),
        revision_id=printed("rev", answer.revision_id),
        label=answer.label,
        question=answer.question,
        closed_at=answer.closed_at,
    )


def _cursor(answer: CitingAnswer) -> str:
    return f"{answer.attempt_id.hex}-{answer.revision_id.hex}"


def _place(cursor: str) -> tuple[UUID, UUID]:
    attempt, _, revision = cursor.partition("-")
    try:
        return UUID(hex=attempt), UUID(hex=revision)
    except ValueError as malformed:
        raise InvalidRequestError("cursor: not one of ours.") from malformed
