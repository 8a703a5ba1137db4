"""The staff's versions: what there is, and which one answers."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query

from contracts.model import Outgoing
from knowledge.api.dependencies import PROBLEMS, Staff, WithResources, staff_with
from knowledge.versions.store.releases import list_versions, publish

router = APIRouter(prefix="/v1/staff/versions", tags=["versions"], responses=PROBLEMS)

Reader = Annotated[Staff, Depends(staff_with("owner", "publisher", "reviewer", "operator", "support"))]
Publisher = Annotated[Staff, Depends(staff_with("publisher"))]


class VersionView(Outgoing):
    """A version and how it came about."""

    number: int
    state: Literal["DRAFT", "STAGED", "PUBLISHED", "RETIRED", "FAILED"]
    documents: int
    revisions: int
    passages: int
    reason: str | None
    created_by: str
    created_at: datetime
    published_by: str | None
    published_at: datetime | None


class VersionPage(Outgoing):
    """A page of versions, newest first."""

    items: tuple[VersionView, ...]
    next_cursor: str | None


class Publication(Outgoing):
    """What the publisher believes to be current; when given, anything else is a conflict."""

    expected_current: int | None = None


class Published(Outgoing):
    """The version that answers from now on."""

    version: int


@router.get("", summary="List versions")
async def get_versions(
    staff: Reader,
    held: WithResources,
    cursor: Annotated[int | None, Query(ge=1, description="The `nextCursor` of the page before")] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> VersionPage:
    """List versions, newest first."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        found = await list_versions(connection, before=cursor, limit=limit + 1)
    more = len(found) > limit
    items = tuple(VersionView.model_validate(each, from_attributes=True) for each in found[:limit])
    return VersionPage(items=items, next_cursor=str(items[-1].number) if more else None)


@router.post("/{number}/publish", summary="Publish a version, or roll back to an older one")
async def post_publication(
    number: Annotated[int, Path(ge=1, le=2_147_483_647)],
    staff: Publisher,
    held: WithResources,
    publication: Publication | None = None,
) -> Published:
    """Make a built version current in one step. Of two publishers at once one wins, the other is told 409."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        await publish(
            connection,
            number=number,
            actor=staff.claims.actor,
            expected_current=publication.expected_current if publication else None,
        )
    await held.warm(tenant=staff.claims.tenant)
    return Published(version=number)
