"""The staff's versions: what there is, what speaks for and against it, and which one answers."""

from typing import Annotated, Final

from fastapi import APIRouter, Query

from knowledge.api.dependencies import WithResources, acting
from knowledge.api.document_views import FieldChangeView
from knowledge.api.evaluation_views import gate_view
from knowledge.api.gate import WithEvaluations, decide_gate, refuse_closed_gate
from knowledge.api.parameters import NumberCursor, VersionNumber
from knowledge.api.places import after_cursor
from knowledge.api.problems import PROBLEMS
from knowledge.api.roles import Examiner, OwnerOrPublisher, Publisher, Reader
from knowledge.api.version_views import (
    DifferencePage,
    Evaluation,
    Publication,
    Published,
    VersionDetail,
    VersionPage,
    VersionView,
    change_view,
    conflict_view,
    version_view,
)
from knowledge.versions.behind_answers import changed_behind
from knowledge.versions.differences import changed_documents
from knowledge.versions.store.dismissals import list_conflicts
from knowledge.versions.store.documents import differing_documents
from knowledge.versions.store.releases import (
    approve,
    attach_evaluation,
    discard,
    find_evaluation,
    find_version,
    list_versions,
    masks_by_kind,
    publish,
    read_behind,
)
from runtime.paging import PageSize

router = APIRouter(prefix="/v1/staff/versions", tags=["versions"], responses=PROBLEMS)

_CONFLICTS_SHOWN: Final = 100


@router.get("", summary="List versions")
async def get_versions(
    staff: Reader,
    held: WithResources,
    cursor: NumberCursor = None,
    limit: PageSize = 20,
) -> VersionPage:
    """List versions, newest first."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        found = await list_versions(connection, before=cursor, limit=limit + 1)
    items = tuple(version_view(each) for each in found[:limit])
    return VersionPage(items=items, next_cursor=str(items[-1].number) if len(found) > limit else None)


@router.get("/{number}", summary="Read a version")
async def get_version(
    number: VersionNumber, staff: Reader, held: WithResources, used: WithEvaluations
) -> VersionDetail:
    """Say all that a publisher looks at: evaluation and gate, personal data by kind, sentences that seem to disagree."""
    settings = await used.gatekeeper.settings_of(tenant=staff.claims.tenant, version=number)
    async with held.database.transaction(staff.claims.tenant) as connection:
        version = await find_version(connection, number)
        evaluation = await find_evaluation(connection, number)
        masks = await masks_by_kind(connection, number)
        hints = await list_conflicts(connection, number=number, after=-1, limit=_CONFLICTS_SHOWN, only_open=True)
        gate = gate_view(await decide_gate(connection, number, settings))
    return VersionDetail(
        **version_view(version).model_dump(by_alias=False),
        evaluation=None if evaluation is None else Evaluation.model_validate(evaluation),
        masks_by_kind=masks,
        conflict_hints=tuple(conflict_view(each) for each in hints),
        gate=gate,
    )


@router.get("/{number}/differences", summary="Compare two versions")
async def get_differences(  # noqa: PLR0913 - one argument a parameter of the call
    number: VersionNumber,
    staff: Reader,
    held: WithResources,
    *,
    before: Annotated[
        int, Query(ge=1, le=2_147_483_647, description="The version to compare with, by its number", examples=[11])
    ],
    cursor: Annotated[str, Query(description="The `nextCursor` of the page before")] = "",
    limit: PageSize = 50,
) -> DifferencePage:
    """List what changed: routing policy and calibration first, then the documents that came, went or changed."""
    place = after_cursor(cursor)
    async with held.database.transaction(staff.claims.tenant) as connection:
        one, other = [await read_behind(connection, each) for each in (before, number)]
        if before == number:
            return DifferencePage(before=before, after=number, behind=(), items=(), next_cursor=None)
        found = await differing_documents(connection, before=before, after=number, after_slug=place, limit=limit + 1)
    items = tuple(change_view(each) for each in changed_documents(found))
    next_cursor = items[limit - 1].slug if len(items) > limit else None
    changed = () if cursor else changed_behind(one, other)
    behind = tuple(FieldChangeView.model_validate(each, from_attributes=True) for each in changed)
    return DifferencePage(before=before, after=number, behind=behind, items=items[:limit], next_cursor=next_cursor)


@router.put("/{number}/evaluation", summary="Attach an evaluation")
async def put_evaluation(
    number: VersionNumber, evaluation: Evaluation, staff: Examiner, held: WithResources
) -> VersionView:
    """Attach what `youju eval` measured; the newer one stays. A staged version is then evaluated."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        await attach_evaluation(
            connection,
            acting(staff),
            number=number,
            evaluation=evaluation.model_dump(mode="json"),
            missed_bars=len(evaluation.missed_bars),
        )
        return version_view(await find_version(connection, number))


@router.post("/{number}/approve", summary="Approve a version")
async def post_approval(
    number: VersionNumber, staff: Publisher, held: WithResources, used: WithEvaluations
) -> VersionView:
    """Let a staged or evaluated version be published, if its evaluation does. A repeat changes nothing."""
    settings = await used.gatekeeper.settings_of(tenant=staff.claims.tenant, version=number)
    async with held.database.transaction(staff.claims.tenant) as connection:
        await approve(connection, acting(staff), number=number)
        await refuse_closed_gate(connection, number, settings)
        return version_view(await find_version(connection, number))


@router.post("/{number}/discard", summary="Discard a version")
async def post_discard(number: VersionNumber, staff: OwnerOrPublisher, held: WithResources) -> VersionView:
    """Give up a version that waits to be published. A repeat changes nothing."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        await discard(connection, acting(staff), number=number)
        return version_view(await find_version(connection, number))


@router.post("/{number}/publish", summary="Publish a version, or roll back to an older one")
async def post_publication(
    number: VersionNumber,
    staff: Publisher,
    held: WithResources,
    used: WithEvaluations,
    publication: Publication | None = None,
) -> Published:
    """Make an approved or retired version current in one step. Of two publishers at once one wins, one is told 409.

    The gate is for versions that come; what answered before may answer again whenever it is needed.
    """
    settings = await used.gatekeeper.settings_of(tenant=staff.claims.tenant, version=number)
    async with held.database.transaction(staff.claims.tenant) as connection:
        published = await publish(
            connection,
            acting(staff),
            number=number,
            expected_current=publication.expected_current if publication else None,
        )
        if published == "VERSION_PUBLISHED":
            await refuse_closed_gate(connection, number, settings)
    await held.warm(tenant=staff.claims.tenant)
    return Published(version=number)
