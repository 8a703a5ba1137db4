"""The staff's documents: what the current version holds, what became of each, and how one is withdrawn."""

import asyncio
from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query

from contracts.ids import printed
from knowledge.api.dependencies import Staff, WithResources, acting
from knowledge.api.document_views import (
    AgendaView,
    DocumentDetail,
    DocumentPage,
    FieldChangeView,
    Restored,
    RevisionDifference,
    RevisionText,
    Timeline,
    Withdrawal,
    agenda_view,
    document_view,
    entry_view,
    revision_view,
    revision_with_text,
    text_change_view,
)
from knowledge.api.parameters import RevisionPath, SlugPath
from knowledge.api.places import after_cursor, known_slug, revision_id
from knowledge.api.problems import PROBLEMS
from knowledge.api.roles import Owner, Publisher, Reader
from knowledge.review.store.recalls import count_citing
from knowledge.versions.agenda import agenda
from knowledge.versions.differences import changed_fields
from knowledge.versions.diffing import diff_texts
from knowledge.versions.store.documents import (
    document_revisions,
    due_rules,
    find_revision,
    list_documents,
    restore,
    revision_text,
    withdraw,
)
from knowledge.versions.store.histories import publications, removals
from knowledge.versions.timeline import timeline
from runtime.clock import business_day
from runtime.paging import PageSize

router = APIRouter(prefix="/v1/staff", tags=["documents"], responses=PROBLEMS)

_MOST_DUE = 1_000


@router.get("/documents", summary="List the documents of the current version")
async def get_documents(
    staff: Reader,
    held: WithResources,
    cursor: Annotated[str, Query(description="The `nextCursor` of the page before: the slug it ended with")] = "",
    limit: PageSize = 50,
) -> DocumentPage:
    """List documents by slug; empty before the first publication."""
    place = after_cursor(cursor)
    async with held.database.transaction(staff.claims.tenant) as connection:
        found = await list_documents(connection, after=place, limit=limit + 1)
    next_cursor = found[limit - 1].slug if len(found) > limit else None
    return DocumentPage(items=tuple(document_view(each) for each in found[:limit]), next_cursor=next_cursor)


@router.get("/agenda", summary="List what is overdue, begins or ends soon")
async def get_agenda(
    staff: Reader,
    held: WithResources,
    days: Annotated[
        int, Query(ge=0, le=366, description="How many days to look ahead, today not counted; 366 at most")
    ] = 30,
) -> AgendaView:
    """List rules of the current version whose review is overdue, and those that begin or end within some days."""
    today = _today(staff, held)
    async with held.database.transaction(staff.claims.tenant) as connection:
        rules = await due_rules(connection, today=today, days=days, limit=_MOST_DUE)
    return agenda_view(agenda(rules, today=today, days=days), today=today, days=days)


@router.get("/revisions/{revision}", summary="Read a revision with its text")
async def get_revision(revision: RevisionPath, staff: Reader, held: WithResources) -> RevisionText:
    """Give the whole record of a revision and its masked normal form."""
    wanted = revision_id(revision)
    async with held.database.transaction(staff.claims.tenant) as connection:
        found = await find_revision(connection, wanted)
        return revision_with_text(found, await revision_text(connection, wanted))


@router.get("/revisions/{revision}/differences", summary="Compare two revisions")
async def get_differences(
    revision: RevisionPath,
    staff: Reader,
    held: WithResources,
    before: Annotated[
        str,
        Query(
            description="The revision to compare with: `rev_` and 32 hexadecimal digits",
            examples=["rev_01932f7a6b2c7d3e8f90a1b2c3d4e5f5"],
        ),
    ],
) -> RevisionDifference:
    """Say what changed in the record and, sentence by sentence, in the text."""
    ids = (revision_id(before), revision_id(revision))
    async with held.database.transaction(staff.claims.tenant) as connection:
        old, new = [await find_revision(connection, each) for each in ids]
        texts = [await revision_text(connection, each) for each in ids]
    fields = changed_fields(old, new)
    # Long texts take a second, in which this process answers questions.
    changes = await asyncio.to_thread(diff_texts, *texts)
    return RevisionDifference(
        before=printed("rev", ids[0]),
        after=printed("rev", ids[1]),
        fields=tuple(FieldChangeView.model_validate(each, from_attributes=True) for each in fields),
        changes=tuple(text_change_view(each) for each in changes),
    )


@router.get("/documents/{slug:path}/timeline", summary="Read what became of a document")
async def get_timeline(slug: SlugPath, staff: Reader, held: WithResources) -> Timeline:
    """List which texts a document got, which version brought or dropped each, and when it was withdrawn."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        revisions = await document_revisions(connection, known_slug(slug))
        entries = timeline(revisions, await publications(connection), await removals(connection, slug))
    return Timeline(slug=slug, entries=tuple(entry_view(each) for each in entries))


@router.get("/documents/{slug:path}", summary="Read a document with all its revisions")
async def get_document(slug: SlugPath, staff: Reader, held: WithResources) -> DocumentDetail:
    """Give every revision the document ever had, with its record, its days and the versions that hold it."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        revisions = await document_revisions(connection, known_slug(slug))
    return DocumentDetail(slug=slug, revisions=tuple(revision_view(each) for each in revisions))


@router.post("/documents/{slug:path}/withdraw", summary="Withdraw a document")
async def post_withdrawal(slug: SlugPath, staff: Owner, held: WithResources) -> Withdrawal:
    """Withdraw every text the document has had: gone from the next question on. A repeat changes nothing."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        withdrawn_at = await withdraw(connection, acting(staff), slug=known_slug(slug))
        answers = await count_citing(connection, slug)
    return Withdrawal(slug=slug, withdrawn_at=withdrawn_at, answers=answers)


@router.post("/documents/{slug:path}/restore", summary="Undo the withdrawal of a document")
async def post_restoration(slug: SlugPath, staff: Publisher, held: WithResources) -> Restored:
    """Let the document's texts answer again where the current version holds them. A repeat changes nothing."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        await restore(connection, acting(staff), slug=known_slug(slug))
    return Restored(slug=slug)


def _today(staff: Staff, held: WithResources) -> date:
    return business_day(held.clock(), staff.tenant.time_zone)
