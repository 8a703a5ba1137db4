"""Runs as people start and read them."""

from collections.abc import Sequence
from typing import Any, Final, get_args
from uuid import UUID

from sqlalchemy import Row, and_, func, insert, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.evaluation.gate import Measured
from knowledge.evaluation.golden import Golden, GoldenSet
from knowledge.evaluation.measuring import CaseResult, Side
from knowledge.evaluation.run import (
    MOST_CASES,
    Beginning,
    EvaluationRunningError,
    NoCasesError,
    Run,
    RunNotFoundError,
    TooManyCasesError,
)
from knowledge.evaluation.store.thresholds import newest_thresholds
from knowledge.tables.evaluation import evaluation_result, evaluation_run, golden_case
from knowledge.tables.versions import tenant_pointer
from knowledge.versions.acts import Acting

_RUN: Final = evaluation_run.c
_RESULT: Final = evaluation_result.c
_RUNNING: Final = "ux_evaluation_run_running"
_SETS: Final = list(get_args(GoldenSet))

_LIST_CASES: Final = text("""
    INSERT INTO evaluation_result (tenant, run, side, ordinal, case_id)
    SELECT :tenant, :run, :side, row_number() OVER (ORDER BY id), id
    FROM golden_case
    WHERE retired_at IS NULL AND case_set = ANY (CAST(:sets AS text[]))
""")


async def count_cases(connection: AsyncConnection, sets: Sequence[GoldenSet]) -> int:
    """Count the cases that a run of these sets would ask. Errors: NoCasesError, TooManyCasesError."""
    counting = select(func.count()).where(golden_case.c.case_set.in_(sets), golden_case.c.retired_at.is_(None))
    cases = (await connection.execute(counting)).scalar_one()
    if not cases:
        raise NoCasesError
    if cases > MOST_CASES:
        raise TooManyCasesError(f"These sets hold {cases} golden cases; one run asks {MOST_CASES} at most.")
    return cases


async def begin_run(connection: AsyncConnection, acting: Acting, beginning: Beginning) -> Run:
    """Open a run under the thresholds of this moment, with all that it will ask. The edge puts it on record.

    Errors: NoCasesError, TooManyCasesError; EvaluationRunningError when this version is being evaluated.
    """
    cases = await count_cases(connection, beginning.case_sets)
    sides: tuple[Side, ...] = ("candidate", "published") if beginning.published is not None else ("candidate",)
    thresholds = await newest_thresholds(connection)
    row = _row(acting, beginning) | {"threshold": thresholds.number if thresholds else None}
    await _insert_run(connection, row | {"total": cases * len(sides)})
    for side in sides:
        listed = {"tenant": acting.tenant, "run": beginning.run_id, "side": side, "sets": list(beginning.case_sets)}
        await connection.execute(_LIST_CASES, listed)
    return await find_run(connection, beginning.run_id)


async def current_version(connection: AsyncConnection) -> int | None:
    """Give the number of the version that answers."""
    return (await connection.execute(select(tenant_pointer.c.current_version))).scalar_one_or_none()


async def is_migrated(connection: AsyncConnection) -> bool:
    """Tell whether there are runs to look at: a process may start before its database is brought up to date."""
    return (await connection.execute(select(func.to_regclass("evaluation_run")))).scalar_one() is not None


async def find_run(connection: AsyncConnection, run_id: UUID) -> Run:
    """Give one run. Errors: RunNotFoundError."""
    row = (await connection.execute(select(evaluation_run).where(_RUN.id == run_id))).one_or_none()
    if row is None:
        raise RunNotFoundError
    return _run(row)


async def newest_run(connection: AsyncConnection, version: int) -> Run | None:
    """Give the run of a version that counts: the newest that was finished, of those that asked every set of cases."""
    is_whole = _RUN.case_sets.contains(_SETS)
    listing = select(evaluation_run).where(_RUN.version == version, _RUN.state == "DONE", is_whole)
    row = (await connection.execute(listing.order_by(_RUN.started_at.desc()).limit(1))).one_or_none()
    return None if row is None else _run(row)


async def list_measured(connection: AsyncConnection, version: int) -> list[Measured]:
    """List how a version stood against thresholds each time it was asked every set of cases, newest first."""
    is_whole = _RUN.case_sets.contains(_SETS)
    is_measured = _RUN.verdict.in_(("PASSED", "MISSED"))
    listing = select(_RUN.settings, _RUN.missed).where(
        _RUN.version == version, _RUN.state == "DONE", is_whole, is_measured
    )
    return [
        Measured(settings=row.settings, missed=tuple(each["sentence"] for each in row.missed))
        for row in await connection.execute(listing.order_by(_RUN.started_at.desc()))
    ]


async def list_runs(connection: AsyncConnection, *, version: int | None, limit: int) -> list[Run]:
    """List runs, newest first; of one version if it is named."""
    listing = select(evaluation_run).order_by(_RUN.started_at.desc()).limit(limit)
    if version is not None:
        listing = listing.where(_RUN.version == version)
    return [_run(row) for row in await connection.execute(listing)]


async def read_results(connection: AsyncConnection, run_id: UUID, side: Side) -> list[CaseResult]:
    """Give what the cases of one side came to, in their order, as far as they were asked."""
    reading = select(_RESULT.result).where(_RESULT.run == run_id, _RESULT.side == side, _RESULT.result.is_not(None))
    rows = await connection.execute(reading.order_by(_RESULT.ordinal))
    return [CaseResult.model_validate(each) for each in rows.scalars()]


async def page_of_cases(
    connection: AsyncConnection, run_id: UUID, *, after: str, limit: int
) -> list[tuple[Golden, CaseResult, CaseResult | None]]:
    """Give cases that were asked with what they came to on both versions, by id after one."""
    mine, other = evaluation_result.alias("candidate"), evaluation_result.alias("published")
    is_same = and_(other.c.run == mine.c.run, other.c.case_id == mine.c.case_id, other.c.side == "published")
    reading = (
        select(golden_case.c.content, mine.c.result, other.c.result.label("published"))
        .join(golden_case, golden_case.c.id == mine.c.case_id)
        .outerjoin(other, is_same)
        .where(mine.c.run == run_id, mine.c.side == "candidate", mine.c.result.is_not(None), mine.c.case_id > after)
        .order_by(mine.c.case_id)
        .limit(limit)
    )
    return [
        (
            Golden.model_validate(row.content),
            CaseResult.model_validate(row.result),
            None if row.published is None else CaseResult.model_validate(row.published),
        )
        for row in await connection.execute(reading)
    ]


async def read_cases(connection: AsyncConnection, run_id: UUID) -> dict[str, Golden]:
    """Give the cases of a run by id, also those that are retired by now."""
    listed = select(_RESULT.case_id).where(_RESULT.run == run_id, _RESULT.side == "candidate")
    rows = await connection.execute(select(golden_case.c.content).where(golden_case.c.id.in_(listed)))
    return {case.id: case for case in map(Golden.model_validate, rows.scalars())}


async def _insert_run(connection: AsyncConnection, row: dict[str, Any]) -> None:  # columns of several types
    try:
        await connection.execute(insert(evaluation_run).values(row))
    except IntegrityError as refused:
        if _RUNNING in str(refused.orig):
            raise EvaluationRunningError from refused
        raise


def _row(acting: Acting, beginning: Beginning) -> dict[str, Any]:  # columns of several types
    return {
        "tenant": acting.tenant,
        "id": beginning.run_id,
        "version": beginning.version,
        "published": beginning.published,
        "case_sets": list(beginning.case_sets),
        # Whoever asks the first question says under which settings.
        "fingerprint": "",
        "settings": {},
        "today": beginning.today,
        "started_by": acting.actor,
    }


def _run(row: Row[Any]) -> Run:
    fields: dict[str, Any] = {name: getattr(row, name) for name in Run.__slots__}  # columns of several types
    fields["case_sets"] = tuple(row.case_sets)
    fields["missed"] = tuple(row.missed)
    return Run(**fields)
