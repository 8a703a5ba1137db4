"""Sentences of a version that seem to disagree, and which of them owners let stand."""

from datetime import datetime
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from contracts.model import Outgoing
from knowledge.api.dependencies import WithResources, acting
from knowledge.api.parameters import VersionNumber
from knowledge.api.places import refuse_control
from knowledge.api.problems import PROBLEMS
from knowledge.api.roles import Owner, Reader
from knowledge.api.version_views import SideView
from knowledge.versions.conflicts import ListedConflict
from knowledge.versions.store.dismissals import dismiss_conflict, list_conflicts, restore_conflict
from knowledge.versions.store.releases import find_version
from runtime.paging import PageSize

router = APIRouter(prefix="/v1/staff", tags=["conflicts"], responses=PROBLEMS)

_KEY: Final = "^[0-9a-f]{64}$"
ConflictKey = Annotated[
    str,
    Path(
        pattern=_KEY,
        description="The pair of sentences: the `key` that conflicts are listed with, 64 hexadecimal digits",
        examples=["9f" * 32],
    ),
]


class DismissalView(Outgoing):
    """Why both sentences may stand, and who said so."""

    reason: str
    dismissed_by: str
    dismissed_at: datetime


class ListedConflictView(Outgoing):
    """Two sentences that seem to disagree. Citing one of them is refused until the pair is dismissed."""

    key: str
    one: SideView
    other: SideView
    dismissal: DismissalView | None


class ConflictPage(Outgoing):
    """A page of conflicts. Where `is_cut`, there may be more than the version lists: dismissing lets the next ones up.

    Where `is_partial`, the version is so large that only passages under headings of the same words were compared.
    """

    items: tuple[ListedConflictView, ...]
    next_cursor: str | None
    is_cut: bool
    is_partial: bool


class DismissalRequest(BaseModel):
    """Says why both sentences may stand."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, str_strip_whitespace=True)

    reason: Annotated[str, AfterValidator(refuse_control)] = Field(min_length=1, max_length=500)


@router.get("/versions/{number}/conflicts", summary="List sentences that seem to disagree")
async def get_conflicts(
    number: VersionNumber,
    staff: Reader,
    held: WithResources,
    cursor: Annotated[int, Query(ge=-1, le=2_147_483_647, description="The `nextCursor` of the page before")] = -1,
    limit: PageSize = 50,
) -> ConflictPage:
    """List the pairs of a version, dismissed ones too, without those of withdrawn texts.

    A list that is full is cut; once pairs of it are dismissed, the next version is compared anew and lists further ones.
    """
    async with held.database.transaction(staff.claims.tenant) as connection:
        version = await find_version(connection, number)
        found = await list_conflicts(connection, number=number, after=cursor, limit=limit + 1)
    more = len(found) > limit
    return ConflictPage(
        items=tuple(_view(each) for each in found[:limit]),
        next_cursor=str(found[limit - 1].ordinal) if more else None,
        is_cut=version.conflicts_cut,
        is_partial=version.conflicts_partial,
    )


@router.put(
    "/conflicts/{key}/dismissal",
    status_code=204,
    response_description="Both sentences may be cited from the next question on",
    summary="Let both sentences stand",
)
async def put_dismissal(key: ConflictKey, dismissal: DismissalRequest, staff: Owner, held: WithResources) -> None:
    """Let both sentences stand, in every version, while neither changes. A repeat keeps the newer reason."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        await dismiss_conflict(connection, acting(staff), key=key, reason=dismissal.reason)


@router.delete(
    "/conflicts/{key}/dismissal",
    status_code=204,
    response_description="Neither sentence is cited from the next question on",
    summary="Open a conflict again",
)
async def delete_dismissal(key: ConflictKey, staff: Owner, held: WithResources) -> None:
    """Refuse again what cites one of the sentences. A repeat changes nothing."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        await restore_conflict(connection, acting(staff), key=key)


def _view(conflict: ListedConflict) -> ListedConflictView:
    return ListedConflictView.model_validate(conflict, from_attributes=True)
