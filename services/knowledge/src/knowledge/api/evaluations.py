"""The staff's runs and thresholds: started, followed, read, and what they say to publishing."""

import asyncio
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse

from contracts.ids import MalformedIdError, parsed
from knowledge.api.dependencies import WithResources, acting
from knowledge.api.evaluation_views import (
    CaseRow,
    CaseRowPage,
    GateView,
    NewRun,
    NewThresholds,
    RunDetail,
    RunPage,
    RunView,
    ThresholdsPage,
    ThresholdsView,
    gate_view,
    run_detail,
    run_view,
    thresholds_view,
)
from knowledge.api.gate import WithEvaluations, decide_gate
from knowledge.api.parameters import OfVersion, RunPath, VersionNumber
from knowledge.api.places import storable
from knowledge.api.problems import PROBLEMS
from knowledge.api.roles import Publisher, Reader, Runner
from knowledge.evaluation.page.writing import write_page
from knowledge.evaluation.run import Beginning, RunNotFoundError
from knowledge.evaluation.store.runs import (
    begin_run,
    current_version,
    find_run,
    list_runs,
    page_of_cases,
    read_cases,
    read_results,
)
from knowledge.evaluation.store.thresholds import list_thresholds, set_thresholds
from knowledge.versions.acts import version_subject
from knowledge.versions.store.audit import record_act
from knowledge.versions.store.releases import find_version
from runtime.clock import business_day
from runtime.paging import PageSize

router = APIRouter(prefix="/v1/staff", tags=["evaluation"], responses=PROBLEMS)

_MOST_LISTED: Final = 50
# Nothing of the page may load or run anything, whatever a question or an answer says.
_PAGE_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
}


@router.post("/versions/{number}/evaluations", status_code=202, summary="Start a run")
async def post_run(
    number: VersionNumber, staff: Runner, held: WithResources, used: WithEvaluations, body: NewRun | None = None
) -> RunView:
    """Ask a version all stored cases, and the published version too, under the thresholds that hold now."""
    tenant = staff.claims.tenant
    sets = tuple(dict.fromkeys(body.case_sets)) if body is not None else ()
    async with held.database.transaction(tenant) as connection:
        await find_version(connection, number)
        current = await current_version(connection)
        beginning = Beginning(
            run_id=held.new_id(),
            version=number,
            published=current if current != number else None,
            case_sets=sets or ("golden", "safety"),
            today=business_day(held.clock(), staff.tenant.time_zone),
        )
        run = await begin_run(connection, acting(staff), beginning)
        detail = {"cases": run.total}
        subject = version_subject(number)
        await record_act(connection, acting(staff), "EVALUATION_STARTED", subject=subject, detail=detail)
    await used.enqueue(tenant=tenant, run_id=str(run.id))
    return run_view(run)


@router.get("/versions/{number}/gate", summary="Read how a version stands")
async def get_gate(number: VersionNumber, staff: Reader, held: WithResources, used: WithEvaluations) -> GateView:
    """Say whether what was measured lets a version be published under the settings of now."""
    settings = await used.gatekeeper.settings_of(tenant=staff.claims.tenant, version=number)
    async with held.database.transaction(staff.claims.tenant) as connection:
        await find_version(connection, number)
        return gate_view(await decide_gate(connection, number, settings))


@router.get("/evaluations", summary="List runs")
async def get_runs(
    staff: Reader,
    held: WithResources,
    version: OfVersion = None,
) -> RunPage:
    """List the newest runs, newest first."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        found = await list_runs(connection, version=version, limit=_MOST_LISTED)
    return RunPage(items=tuple(run_view(each) for each in found))


@router.get("/evaluations/{run_id}", summary="Read a run")
async def get_run(run_id: RunPath, staff: Reader, held: WithResources) -> RunDetail:
    """Read a run: its progress, and once it is done all metrics with their intervals and the comparison."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        return run_detail(await find_run(connection, _run_id(run_id)))


@router.get("/evaluations/{run_id}/cases", summary="Read the cases of a run")
async def get_run_cases(
    run_id: RunPath,
    staff: Reader,
    held: WithResources,
    cursor: Annotated[str, Query(max_length=100, description="The `nextCursor` of the page before")] = "",
    limit: PageSize = 50,
) -> CaseRowPage:
    """Read what each case came to, as far as it was asked."""
    after = storable("cursor", cursor)
    async with held.database.transaction(staff.claims.tenant) as connection:
        run = await find_run(connection, _run_id(run_id))
        found = await page_of_cases(connection, run.id, after=after, limit=limit + 1)
    rows = tuple(
        CaseRow(golden=golden, candidate=candidate, published=published)
        for golden, candidate, published in found[:limit]
    )
    return CaseRowPage(items=rows, next_cursor=rows[-1].golden.id if len(found) > limit else None)


@router.get(
    "/evaluations/{run_id}/page",
    summary="Read a run as a page of plots",
    response_class=HTMLResponse,
    responses={200: {"content": {"text/html": {}}, "description": "A page that stands alone"}},
)
async def get_page(run_id: RunPath, staff: Reader, held: WithResources) -> HTMLResponse:
    """Read everything a run came to as one page that loads nothing from anywhere."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        run = await find_run(connection, _run_id(run_id))
        cases = await read_cases(connection, run.id)
        candidate = await read_results(connection, run.id, "candidate")
        published = await read_results(connection, run.id, "published")
    # Two thousand cases take a second to draw, and this process answers customers.
    page = await asyncio.to_thread(write_page, run, cases, candidate=candidate, published=published)
    return HTMLResponse(page, headers=_PAGE_HEADERS)


@router.get("/evaluation-thresholds", summary="Read thresholds")
async def get_thresholds(staff: Reader, held: WithResources) -> ThresholdsPage:
    """Read the bounds that hold now and those that held before."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        found = await list_thresholds(connection, limit=_MOST_LISTED)
    items = tuple(thresholds_view(each) for each in found)
    return ThresholdsPage(current=items[0] if items and items[0].bounds else None, items=items)


@router.put("/evaluation-thresholds", summary="Set thresholds")
async def put_thresholds(body: NewThresholds, staff: Publisher, held: WithResources) -> ThresholdsView:
    """Let these bounds hold for every run that begins from now on. Runs that began before keep theirs."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        stored = await set_thresholds(connection, acting(staff), body.bounds)
        detail = {"bounds": [bound.spelled for bound in stored.bounds]}
        subject = f"thresholds:{stored.number}"
        await record_act(connection, acting(staff), "THRESHOLDS_SET", subject=subject, detail=detail)
    return thresholds_view(stored)


def _run_id(text: str) -> UUID:
    try:
        return parsed("run", text)
    except MalformedIdError as malformed:
        raise RunNotFoundError from malformed
