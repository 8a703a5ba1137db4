"""Which passages of a version say the same, or nearly."""

from typing import Annotated

from fastapi import APIRouter, Query

from contracts.model import Outgoing
from knowledge.api.dependencies import WithResources
from knowledge.api.parameters import VersionNumber
from knowledge.api.problems import PROBLEMS
from knowledge.api.roles import Reader
from knowledge.versions.store.duplicates import ListedDuplicate, list_duplicates
from knowledge.versions.store.releases import find_version
from runtime.paging import PageSize

router = APIRouter(prefix="/v1/staff/versions", tags=["versions"], responses=PROBLEMS)


class PlacedPassageView(Outgoing):
    """A passage with where it stands."""

    slug: str
    title: str
    label: str
    heading_path: tuple[str, ...]
    text: str


class DuplicateView(Outgoing):
    """Two passages that share at least four fifths of their terms; 1 stands for the very same text."""

    similarity: float
    one: PlacedPassageView
    other: PlacedPassageView


class DuplicatePage(Outgoing):
    """A page of duplicates, the most alike first; a version lists a thousand at most."""

    items: tuple[DuplicateView, ...]
    next_cursor: str | None


@router.get("/{number}/duplicates", summary="List passages that say the same")
async def get_duplicates(
    number: VersionNumber,
    staff: Reader,
    held: WithResources,
    cursor: Annotated[int, Query(ge=0, le=2_147_483_647, description="The `nextCursor` of the page before")] = 0,
    limit: PageSize = 50,
) -> DuplicatePage:
    """List passages that are alike, each with the first one like it. Revisions of one document are not compared."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        await find_version(connection, number)
        found = await list_duplicates(connection, number=number, after=cursor, limit=limit + 1)
    more = len(found) > limit
    return DuplicatePage(
        items=tuple(_view(each) for each in found[:limit]), next_cursor=str(found[limit - 1].ordinal) if more else None
    )


def _view(duplicate: ListedDuplicate) -> DuplicateView:
    return DuplicateView.model_validate(duplicate, from_attributes=True)
