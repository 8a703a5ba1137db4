"""What a worker reads and writes while it asks the cases of a run. Every write can be repeated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, func, select, text, update

from knowledge.evaluation.golden import Golden
from knowledge.evaluation.measuring import CaseResult, Side
from knowledge.evaluation.run import LEASE_SECONDS, LeasedRun, Verdict
from knowledge.evaluation.thresholds import Bound, Missed
from knowledge.tables.evaluation import evaluation_result, evaluation_run, evaluation_threshold, golden_case

_RUN: Final = evaluation_run.c
_RESULT: Final = evaluation_result.c
_LEASED: Final = text(f"clock_timestamp() + interval '{LEASE_SECONDS} seconds'")
_HANDED_ON: Final = text("clock_timestamp() + interval '5 seconds'")
_PUT_OFF: Final = text("clock_timestamp() + interval '60 seconds'")

_WAITS_FOR_VECTORS: Final = text("""
    SELECT EXISTS (
        SELECT FROM evaluation_run JOIN sentence_backlog AS backlog
            ON backlog.version IN (evaluation_run.version, evaluation_run.published)
        WHERE evaluation_run.id = :run AND evaluation_run.started_at > clock_timestamp() - interval '1 hour')
""")


@dataclass(frozen=True, slots=True)
class Pending:
    """A case of a run that is still to be asked."""

    side: Side
    golden: Golden


def claim(connection: Connection, run_id: UUID, *, lease_token: UUID) -> LeasedRun | None:
    """Take a running run; None when it has ended or another worker has it."""
    taking = (
        update(evaluation_run)
        .where(_RUN.id == run_id, _RUN.state == "RUNNING")
        .where((_RUN.lease_token.is_(None)) | (_RUN.lease_until < func.clock_timestamp()))
        .values(lease_token=lease_token, lease_until=_LEASED, tries=_RUN.tries + 1)
        .returning(evaluation_run)
    )
    row = connection.execute(taking).one_or_none()
    if row is None:
        return None
    fields: dict[str, Any] = {name: getattr(row, name) for name in LeasedRun.__slots__}  # columns of several types
    return LeasedRun(**fields)


def bind(connection: Connection, run: LeasedRun, *, fingerprint: str, settings: Mapping[str, str]) -> bool:
    """Tie a run to the settings it is asked under, and say whether they are still those. Repeat: the first ones stay."""
    if run.fingerprint:
        return run.fingerprint == fingerprint
    connection.execute(_held(run).values(fingerprint=fingerprint, settings=dict(settings)))
    return True


def pending_cases(connection: Connection, run_id: UUID, *, limit: int) -> list[Pending]:
    """List what is still to be asked, in order."""
    listing = (
        select(_RESULT.side, golden_case.c.content)
        .join(golden_case, golden_case.c.id == _RESULT.case_id)
        .where(_RESULT.run == run_id, _RESULT.result.is_(None))
        .order_by(_RESULT.ordinal, _RESULT.side)
        .limit(limit)
    )
    return [Pending(row.side, Golden.model_validate(row.content)) for row in connection.execute(listing)]


def store_results(connection: Connection, run: LeasedRun, results: Sequence[tuple[Side, CaseResult]]) -> None:
    """Keep what cases came to, and start the count of tries again. Repeat: a case that was asked keeps its result."""
    for side, result in results:
        storing = update(evaluation_result).where(
            _RESULT.run == run.id, _RESULT.side == side, _RESULT.case_id == result.case_id, _RESULT.result.is_(None)
        )
        written = {"result": result.model_dump(mode="json"), "asked_at": func.clock_timestamp()}
        connection.execute(storing.values(written))
    asked = select(func.count()).where(_RESULT.run == run.id, _RESULT.result.is_not(None)).scalar_subquery()
    connection.execute(_held(run).values(done=asked, tries=0))


def hand_on(connection: Connection, run: LeasedRun) -> None:
    """Give a run back for its next batch."""
    connection.execute(_held(run).values(lease_token=None, lease_until=_HANDED_ON))


def waits_for_vectors(connection: Connection, run_id: UUID) -> bool:
    """Tell whether a version that is asked is still short of sentence vectors; after an hour it is asked all the same."""
    return bool(connection.execute(_WAITS_FOR_VECTORS, {"run": run_id}).scalar_one())


def wait(connection: Connection, run: LeasedRun) -> None:
    """Give a run back until what it waits for is there; that is no try."""
    connection.execute(_held(run).values(lease_token=None, lease_until=_HANDED_ON, tries=0))


def put_off(connection: Connection, run: LeasedRun) -> None:
    """Give a run back for a while, because something it needs is out of reach."""
    connection.execute(_held(run).values(lease_token=None, lease_until=_PUT_OFF))


def all_results(connection: Connection, run_id: UUID, side: Side) -> list[CaseResult]:
    """Give what the cases of one side came to, in their order."""
    reading = select(_RESULT.result).where(_RESULT.run == run_id, _RESULT.side == side, _RESULT.result.is_not(None))
    rows = connection.execute(reading.order_by(_RESULT.ordinal))
    return [CaseResult.model_validate(each) for each in rows.scalars()]


def bounds_of(connection: Connection, run_id: UUID) -> tuple[Bound, ...]:
    """Give the bounds that were set when a run began."""
    thresholds = evaluation_threshold.c
    reading = select(thresholds.bounds).join(evaluation_run, _RUN.threshold == thresholds.number)
    found = connection.execute(reading.where(_RUN.id == run_id)).scalar_one_or_none()
    return tuple(Bound.model_validate(each) for each in found or ())


def finish(
    connection: Connection,
    run: LeasedRun,
    *,
    summary: Mapping[str, object],
    verdict: Verdict,
    missed: Sequence[Missed],
) -> str | None:
    """End a run with what it came to, and give who started it. Repeat: None, and the first end stays."""
    told = [{"metric": each.metric, "sentence": each.sentence} for each in missed]
    return _end(connection, run, {"state": "DONE", "summary": dict(summary), "verdict": verdict, "missed": told})


def fail(connection: Connection, run: LeasedRun, *, reason: str) -> str | None:
    """End a run that cannot go on, and give who started it. Repeat: None, and the first end stays."""
    return _end(connection, run, {"state": "FAILED", "reason": reason})


def _end(connection: Connection, run: LeasedRun, ended: dict[str, Any]) -> str | None:  # columns of several types
    ending = _held(run).values({**ended, "finished_at": func.clock_timestamp(), "lease_token": None})
    return connection.execute(ending.returning(_RUN.started_by)).scalar_one_or_none()


def _held(run: LeasedRun) -> Any:  # SQLAlchemy's Update, generic over what it returns
    return update(evaluation_run).where(_RUN.id == run.id, _RUN.state == "RUNNING", _RUN.lease_token == run.lease_token)
