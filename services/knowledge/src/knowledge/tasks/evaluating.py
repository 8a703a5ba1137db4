"""Asks the cases of a run, a batch a message: each batch is a short read, questions without a session, and one write."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import Connection

from contracts.ids import IdSource
from knowledge.adapters.examining import Examiner, NotAskedError, Place
from knowledge.adapters.gatekeeping import Gatekeeper
from knowledge.evaluation.fingerprint import fingerprint
from knowledge.evaluation.measuring import CaseResult, Side
from knowledge.evaluation.run import MOST_TRIES, LeasedRun
from knowledge.evaluation.store import steps
from knowledge.evaluation.store.steps import Pending
from knowledge.evaluation.summing import compared, sum_up
from knowledge.evaluation.thresholds import find_missed
from knowledge.versions.acts import Acting, version_subject
from knowledge.versions.store.audit import record_act_sync
from knowledge.versions.store.releases import mark_evaluated
from runtime.database import SyncDatabase

# A batch ends within the limit of a task: no case begins after so many seconds, and one takes 25 at most, or twice that
# where a refused one is asked again.
_BATCH: Final = 60
_AT_ONCE: Final = 4
_SECONDS_A_BATCH: Final = 8.0
_PATIENT_TRIES: Final = 3

_CHANGED: Final = "The settings of the workers changed while it ran; start it again."
_TRIED: Final = f"A batch was tried {MOST_TRIES} times without success."
_GONE: Final = "The version cannot answer any more."


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What cases are asked with, open for one batch."""

    examiner: Examiner
    gatekeeper: Gatekeeper


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluating:
    """What a worker evaluates with. `open` opens connections for one batch, in the loop that uses them."""

    database: SyncDatabase
    open: Callable[[], AbstractAsyncContextManager[Asking]]
    new_id: IdSource


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What a batch came to, and the settings it was asked under; without settings the version is gone."""

    settings: dict[str, str]
    results: tuple[tuple[Side, CaseResult], ...] = ()


def advance_evaluation(evaluating: Evaluating, tenant: str, run_id: UUID) -> bool:
    """Ask a batch of a run and say whether another may follow.

    Repeat: a run that another worker has, or that has ended, is left alone; a case that has a result is not asked again.
    """
    with evaluating.database.transaction(tenant) as connection:
        run = steps.claim(connection, run_id, lease_token=evaluating.new_id())
        if run is None:
            return False
        if run.tries > MOST_TRIES:
            _fail(connection, run, tenant, _TRIED)
            return False
        if steps.waits_for_vectors(connection, run_id):
            steps.wait(connection, run)
            return False
        pending = steps.pending_cases(connection, run_id, limit=_BATCH)
    if not pending:
        _finish(evaluating, tenant, run)
        return False
    asked = asyncio.run(_ask(evaluating, tenant, run, pending))
    return _store(evaluating, tenant, run, asked)


async def _ask(evaluating: Evaluating, tenant: str, run: LeasedRun, pending: Sequence[Pending]) -> _Asked:
    """Ask as many cases as fit into the time of a batch, a few at once."""
    ends = time.monotonic() + _SECONDS_A_BATCH
    results: list[tuple[Side, CaseResult]] = []
    async with evaluating.open() as asking:
        settings = await asking.gatekeeper.settings_of(tenant=tenant, version=run.version)
        if not settings or (run.fingerprint and run.fingerprint != fingerprint(settings)):
            return _Asked(settings=settings)
        for start in range(0, len(pending), _AT_ONCE):
            if time.monotonic() > ends:
                break
            together = pending[start : start + _AT_ONCE]
            found = await asyncio.gather(*(_ask_one(asking.examiner, tenant, run, each) for each in together))
            results += [each for each in found if each is not None]
    return _Asked(settings=settings, results=tuple(results))


async def _ask_one(examiner: Examiner, tenant: str, run: LeasedRun, pending: Pending) -> tuple[Side, CaseResult] | None:
    version = run.published if pending.side == "published" else run.version
    place = Place(tenant=tenant, version=version or run.version, today=run.today)
    try:
        result = await examiner.examine(pending.golden, place, is_last_try=run.tries >= _PATIENT_TRIES)
    except NotAskedError:
        return None
    return pending.side, result


def _store(evaluating: Evaluating, tenant: str, run: LeasedRun, asked: _Asked) -> bool:
    with evaluating.database.transaction(tenant) as connection:
        if not asked.settings:
            _fail(connection, run, tenant, _GONE)
            return False
        if not steps.bind(connection, run, fingerprint=fingerprint(asked.settings), settings=asked.settings):
            _fail(connection, run, tenant, _CHANGED)
            return False
        if asked.results:
            steps.store_results(connection, run, asked.results)
            steps.hand_on(connection, run)
        else:
            steps.put_off(connection, run)
    return bool(asked.results)


def _finish(evaluating: Evaluating, tenant: str, run: LeasedRun) -> None:
    with evaluating.database.transaction(tenant) as connection:
        candidate = steps.all_results(connection, run.id, "candidate")
        published = steps.all_results(connection, run.id, "published")
        bounds = steps.bounds_of(connection, run.id)
    comparison = compared(candidate, published)
    missed = find_missed(candidate, bounds, comparison) if bounds else ()
    verdict = ("MISSED" if missed else "PASSED") if bounds else "NOT_GATED"
    summary = sum_up(candidate, comparison).model_dump(mode="json")
    with evaluating.database.transaction(tenant) as connection:
        starter = steps.finish(connection, run, summary=summary, verdict=verdict, missed=missed)
        if starter is not None:
            mark_evaluated(connection, number=run.version, actor=starter)
        _record_end(connection, run, tenant, starter, verdict)


def _fail(connection: Connection, run: LeasedRun, tenant: str, reason: str) -> None:
    _record_end(connection, run, tenant, steps.fail(connection, run, reason=reason), "FAILED")


def _record_end(connection: Connection, run: LeasedRun, tenant: str, starter: str | None, how: str) -> None:
    if starter is not None:
        acting = Acting(tenant=tenant, actor=starter)
        subject = version_subject(run.version)
        record_act_sync(connection, acting, "EVALUATION_ENDED", subject=subject, detail={"verdict": how})
