"""What the staff API says and takes of golden cases, thresholds and runs."""

from datetime import date, datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from contracts.ids import printed
from contracts.model import Outgoing
from knowledge.api.places import NOT_BLANK, refuse_control
from knowledge.evaluation.case import StoredCase
from knowledge.evaluation.gate import Decision, Standing
from knowledge.evaluation.golden import Golden, GoldenSet
from knowledge.evaluation.measuring import CaseResult
from knowledge.evaluation.run import Run, RunState, Verdict
from knowledge.evaluation.summing import RunSummary
from knowledge.evaluation.thresholds import Bound, Thresholds

Told = Annotated[str, AfterValidator(refuse_control)]


class GoldenCases(BaseModel):
    """Cases to keep, as a line of a golden file each."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    cases: Annotated[tuple[Golden, ...], Field(min_length=1, max_length=200)]


class CasesKept(Outgoing):
    """How many cases were new and how many were there already."""

    added: int
    known: int


class CaseView(Outgoing):
    """A golden case and what became of it."""

    golden: Golden
    added_by: str
    added_at: datetime
    retired_by: str | None
    retired_at: datetime | None
    retired_reason: str | None


class CasePage(Outgoing):
    """A page of golden cases by id."""

    items: tuple[CaseView, ...]
    next_cursor: str | None


class Retirement(Outgoing):
    """Why a case is retired."""

    reason: Annotated[str, NOT_BLANK, Field(max_length=1_000), AfterValidator(refuse_control)]


class NewThresholds(BaseModel):
    """Bounds that hold for every run from now on; none at all ends the gate."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    bounds: Annotated[tuple[Bound, ...], Field(max_length=100)]


class ThresholdsView(Outgoing):
    """Bounds with who set them and when."""

    number: int
    bounds: tuple[Bound, ...]
    spelled: tuple[str, ...]
    set_by: str
    set_at: datetime


class ThresholdsPage(Outgoing):
    """What holds now, and what held before, newest first. `current` is null where nothing is gated."""

    current: ThresholdsView | None
    items: tuple[ThresholdsView, ...]


class NewRun(Outgoing):
    """Which sets to ask: all when none is named."""

    case_sets: tuple[GoldenSet, ...] = Field(default=(), max_length=2)


class MissedView(Outgoing):
    """One reason why a result does not pass."""

    metric: str
    sentence: str


class RunView(Outgoing):
    """A run as far as it came. `published` is the version it is compared with."""

    run_id: str
    version: int
    published: int | None
    case_sets: tuple[GoldenSet, ...]
    state: RunState
    verdict: Verdict | None
    missed: tuple[MissedView, ...]
    fingerprint: str
    thresholds: int | None
    today: date
    total: int
    done: int
    reason: str | None
    started_by: str
    started_at: datetime
    finished_at: datetime | None


class RunDetail(RunView):
    """A run with all it came to once it is done."""

    settings: dict[str, str]
    summary: RunSummary | None


class RunPage(Outgoing):
    """Runs, newest first."""

    items: tuple[RunView, ...]


class CaseRow(Outgoing):
    """What one case came to, on the version of the run and on the published one."""

    golden: Golden
    candidate: CaseResult
    published: CaseResult | None


class CaseRowPage(Outgoing):
    """A page of the cases of a run, by id."""

    items: tuple[CaseRow, ...]
    next_cursor: str | None


class GateView(Outgoing):
    """Whether what was measured lets a version be published, and what stands against it."""

    standing: Standing
    open: bool
    sentences: tuple[str, ...]
    metrics: tuple[str, ...]
    settings: tuple[str, ...]


def case_view(case: StoredCase) -> CaseView:
    """Show a case."""
    return CaseView(
        golden=case.golden,
        added_by=case.added_by,
        added_at=case.added_at,
        retired_by=case.retired_by,
        retired_at=case.retired_at,
        retired_reason=case.retired_reason,
    )


def thresholds_view(thresholds: Thresholds) -> ThresholdsView:
    """Show bounds."""
    return ThresholdsView(
        number=thresholds.number,
        bounds=thresholds.bounds,
        spelled=tuple(bound.spelled for bound in thresholds.bounds),
        set_by=thresholds.set_by,
        set_at=thresholds.set_at,
    )


def run_view(run: Run) -> RunView:
    """Show a run."""
    return RunView(
        run_id=printed("run", run.id),
        version=run.version,
        published=run.published,
        case_sets=run.case_sets,
        state=run.state,
        verdict=run.verdict,
        missed=tuple(MissedView(metric=each["metric"], sentence=each["sentence"]) for each in run.missed),
        fingerprint=run.fingerprint,
        thresholds=run.threshold,
        today=run.today,
        total=run.total,
        done=run.done,
        reason=run.reason,
        started_by=run.started_by,
        started_at=run.started_at,
        finished_at=run.finished_at,
    )


def run_detail(run: Run) -> RunDetail:
    """Show a run with what it came to."""
    return RunDetail(
        **run_view(run).model_dump(by_alias=False),
        settings=dict(run.settings),
        summary=None if run.summary is None else RunSummary.model_validate(run.summary),
    )


def gate_view(decision: Decision) -> GateView:
    """Show how a version stands."""
    return GateView(
        standing=decision.standing,
        open=decision.is_open,
        sentences=decision.sentences,
        metrics=decision.metrics,
        settings=decision.settings,
    )
