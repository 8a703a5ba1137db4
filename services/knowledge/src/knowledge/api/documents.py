"""The staff's documents: what the current version holds, and how a document is withdrawn."""

from datetime import date, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from contracts.model import Outgoing
from contracts.reasons import Language
from knowledge.api.dependencies import PROBLEMS, Staff, WithResources, staff_with
from knowledge.versions.store.documents import list_documents, withdraw
from knowledge.versions.version import DocumentNotFoundError, PublishedDocument

router = APIRouter(prefix="/v1/staff/documents", tags=["documents"], responses=PROBLEMS)

Reader = Annotated[Staff, Depends(staff_with("owner", "publisher", "reviewer", "operator", "support"))]
Owner = Annotated[Staff, Depends(staff_with("owner"))]


class DocumentView(Outgoing):
    """A document of the current version, described by its newest revision."""

    slug: str
    title: str
    label: str
    language: Language
    owner: str | None
    area: str | None
    audience: tuple[str, ...]
    revisions: int
    review_date: date | None
    withdrawn_at: datetime | None


class DocumentPage(Outgoing):
    """A page of documents by slug."""

    items: tuple[DocumentView, ...]
    next_cursor: str | None


class Withdrawal(Outgoing):
    """Since when a document is withdrawn."""

    slug: str
    withdrawn_at: datetime


@router.get("", summary="List the documents of the current version")
async def get_documents(
    staff: Reader,
    held: WithResources,
    cursor: Annotated[str, Query(description="The `nextCursor` of the page before")] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
) -> DocumentPage:
    """List documents by slug; empty before the first publication."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        found = await list_documents(connection, after=cursor, limit=limit + 1)
    more = len(found) > limit
    return DocumentPage(
        items=tuple(_view(each) for each in found[:limit]), next_cursor=found[limit - 1].slug if more else None
    )


@router.post("/{slug:path}/withdraw", summary="Withdraw a document")
async def post_withdrawal(slug: str, staff: Owner, held: WithResources) -> Withdrawal:
    """Withdraw every text the document has had: gone from the next question on. A repeat changes nothing."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        withdrawn_at = await withdraw(connection, tenant=staff.claims.tenant, slug=slug, actor=staff.claims.actor)
    if withdrawn_at is None:
        raise DocumentNotFoundError
    return Withdrawal(slug=slug, withdrawn_at=withdrawn_at)


def _view(document: PublishedDocument) -> DocumentView:
    return DocumentView.model_validate(document, from_attributes=True)
