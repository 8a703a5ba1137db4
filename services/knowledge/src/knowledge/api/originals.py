"""The originals of revisions: for owners alone, to look at, fetch and delete."""

from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict

from contracts.ids import printed
from contracts.model import Outgoing
from knowledge.api.dependencies import WithResources, acting
from knowledge.api.parameters import RevisionPath
from knowledge.api.places import cursor_of, read_cursor, revision_id, storable
from knowledge.api.problems import PROBLEMS
from knowledge.api.roles import Owner
from knowledge.ingestion.originals import disposition
from knowledge.versions.originals import ListedOriginal
from knowledge.versions.store.originals import delete_original, fetch_original, list_originals
from runtime.paging import PageSize

router = APIRouter(prefix="/v1/staff", tags=["originals"], responses=PROBLEMS)

_LONGEST_CURSOR: Final = 2_000
_TYPE: Final = "application/octet-stream"
# Whatever the bytes are, a browser saves them and neither shows, guesses nor keeps them.
_UNTRUSTED: Final = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cache-Control": "no-store",
}


class OriginalView(Outgoing):
    """The file a revision was read from. A deleted one stays in the list without its bytes."""

    revision_id: str
    slug: str
    label: str
    path: str
    size_bytes: int
    kept_at: datetime
    deleted_at: datetime | None
    deleted_by: str | None


class OriginalPage(Outgoing):
    """A page of originals by document."""

    items: tuple[OriginalView, ...]
    next_cursor: str | None


class _Cursor(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)

    slug: str
    revision: UUID


@router.get("/originals", summary="List originals")
async def get_originals(
    staff: Owner,
    held: WithResources,
    slug: Annotated[
        str,
        Query(
            max_length=200,
            description="Only the originals of this document, by its slug",
            examples=["returns/shipping"],
        ),
    ] = "",
    cursor: Annotated[str, Query(max_length=_LONGEST_CURSOR, description="The `nextCursor` of the page before")] = "",
    limit: PageSize = 50,
) -> OriginalPage:
    """List the originals that are kept, and those that were deleted."""
    after = _place(cursor) if cursor else None
    wanted = storable("slug", slug) or None
    async with held.database.transaction(staff.claims.tenant) as connection:
        found = await list_originals(connection, slug=wanted, after=after, limit=limit + 1)
    more = len(found) > limit
    return OriginalPage(items=tuple(map(_view, found[:limit])), next_cursor=_cursor(found[limit - 1]) if more else None)


@router.get(
    "/revisions/{revision}/original",
    summary="Fetch an original",
    response_class=Response,
    responses={200: {"content": {_TYPE: {}}, "description": "The bytes as they were imported, as an attachment"}},
)
async def get_original(revision: RevisionPath, staff: Owner, held: WithResources) -> Response:
    """Give the bytes a revision was read from, with the personal data that was masked; the audit trail names who did."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        found = await fetch_original(connection, acting(staff), revision_id=revision_id(revision), ring=held.ring)
    headers = {"Content-Disposition": disposition(found.path), **_UNTRUSTED}
    return Response(found.content, media_type=_TYPE, headers=headers)


@router.delete(
    "/revisions/{revision}/original",
    status_code=204,
    response_description="The bytes are gone; the masked text stays",
    summary="Delete an original",
)
async def remove_original(revision: RevisionPath, staff: Owner, held: WithResources) -> None:
    """Delete the bytes a revision was read from, wherever the tenant has them. A repeat changes nothing.

    The masked text stays. As long as the revision is there, an import does not bring the same bytes back.
    """
    async with held.database.transaction(staff.claims.tenant) as connection:
        await delete_original(connection, acting(staff), revision_id=revision_id(revision))


def _view(found: ListedOriginal) -> OriginalView:
    return OriginalView(
        revision_id=printed("rev", found.revision_id),
        slug=found.slug,
        label=found.label,
        path=found.path,
        size_bytes=found.size_bytes,
        kept_at=found.kept_at,
        deleted_at=found.deleted_at,
        deleted_by=found.deleted_by,
    )


def _cursor(found: ListedOriginal) -> str:
    return cursor_of(_Cursor(slug=found.slug, revision=found.revision_id))


def _place(cursor: str) -> tuple[str, UUID]:
    place = read_cursor(_Cursor, cursor)
    return storable("cursor", place.slug), place.revision
