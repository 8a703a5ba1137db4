"""A run: one version asked a set of cases, under the settings and thresholds of its beginning."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Literal
from uuid import UUID

from contracts.errors import ConflictError, NotFoundError
from knowledge.evaluation.golden import GoldenSet

RunState = Literal["RUNNING", "DONE", "FAILED"]
Verdict = Literal["PASSED", "MISSED", "NOT_GATED"]
MOST_CASES: Final = 2_000
MOST_TRIES: Final = 5
LEASE_SECONDS: Final = 75


class RunNotFoundError(NotFoundError):
    """There is no such evaluation run."""


class NoCasesError(ConflictError):
    """There is no golden case to ask; import some first."""

    code = "NO_GOLDEN_CASES"


class TooManyCasesError(ConflictError):
    """These sets hold more golden cases than one run asks."""

    code = "TOO_MANY_GOLDEN_CASES"


class EvaluationRunningError(ConflictError):
    """This version is being evaluated already."""

    code = "EVALUATION_RUNNING"


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """What a run is started with. `published` is the version to compare with, if another one answers."""

    run_id: UUID
    version: int
    published: int | None
    case_sets: tuple[GoldenSet, ...]
    today: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run as far as it came. `missed` holds sentences by metric; `summary` is there once it is done.

    `settings` holds the digests of what the worker that asks decides with, and `fingerprint` is one name for them;
    both are empty until the first question is asked.
    """

    id: UUID
    version: int
    published: int | None
    case_sets: tuple[GoldenSet, ...]
    state: RunState
    fingerprint: str
    settings: Mapping[str, str]
    threshold: int | None
    today: date
    total: int
    done: int
    reason: str | None
    verdict: Verdict | None
    missed: tuple[Mapping[str, str], ...]
    summary: Mapping[str, object] | None
    started_by: str
    started_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeasedRun:
    """A run in the hands of one worker."""

    id: UUID
    version: int
    published: int | None
    today: date
    fingerprint: str
    tries: int
    lease_token: UUID
