"""The staff's golden cases: kept, listed, retired."""

from typing import Annotated, Final

from fastapi import APIRouter, Query

from knowledge.api.dependencies import WithResources, acting
from knowledge.api.evaluation_views import CasePage, CasesKept, CaseView, GoldenCases, Retirement, case_view
from knowledge.api.parameters import CasePath
from knowledge.api.places import storable
from knowledge.api.problems import PROBLEMS
from knowledge.api.roles import Reader, Runner
from knowledge.evaluation.golden import GoldenSet
from knowledge.evaluation.store.cases import add_cases, find_case, list_cases, retire_case
from knowledge.versions.acts import case_subject
from knowledge.versions.store.audit import record_act

router = APIRouter(prefix="/v1/staff/golden-cases", tags=["evaluation"], responses=PROBLEMS)

_SETS: Final[tuple[GoldenSet, ...]] = ("golden", "safety")


@router.get("", summary="List golden cases")
async def get_cases(  # noqa: PLR0913 - one argument a parameter of the call
    staff: Reader,
    held: WithResources,
    *,
    case_set: Annotated[
        GoldenSet | None, Query(alias="set", description="Only cases of this set; both without it")
    ] = None,
    retired: Annotated[bool, Query(description="Whether to list cases too that no run asks any more")] = False,
    cursor: Annotated[str, Query(max_length=100, description="The `nextCursor` of the page before")] = "",
    limit: Annotated[
        int, Query(ge=1, le=200, description="How many to list at most; a page never holds more than 200")
    ] = 50,
) -> CasePage:
    """List golden cases by id."""
    after = storable("cursor", cursor)
    sets = _SETS if case_set is None else (case_set,)
    async with held.database.transaction(staff.claims.tenant) as connection:
        found = await list_cases(connection, sets=sets, with_retired=retired, after=after, limit=limit + 1)
    items = tuple(case_view(each) for each in found[:limit])
    return CasePage(items=items, next_cursor=items[-1].golden.id if len(found) > limit else None)


@router.post("", status_code=201, summary="Keep golden cases")
async def post_cases(body: GoldenCases, staff: Runner, held: WithResources) -> CasesKept:
    """Keep cases, masked: all of them or none. A case that is there already, word by word, is left alone."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        kept = await add_cases(connection, acting(staff), body.cases)
        for case_id in kept.added:
            await record_act(connection, acting(staff), "GOLDEN_CASE_ADDED", subject=case_subject(case_id))
    return CasesKept(added=len(kept.added), known=kept.known)


@router.post("/{case_id}/retire", summary="Retire a golden case")
async def post_retirement(case_id: CasePath, body: Retirement, staff: Runner, held: WithResources) -> CaseView:
    """Take a case out of every later run; it stays readable. A repeat changes nothing."""
    known = storable("case", case_id)
    async with held.database.transaction(staff.claims.tenant) as connection:
        if await retire_case(connection, acting(staff), case_id=known, reason=body.reason):
            await record_act(connection, acting(staff), "GOLDEN_CASE_RETIRED", subject=case_subject(known))
        return case_view(await find_case(connection, known))
