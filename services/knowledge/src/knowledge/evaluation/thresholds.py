"""What a result has to reach. Bounds are set before a run, with author and time, and each set of them stays readable."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from contracts.model import Outgoing
from knowledge.evaluation.comparing import Comparison
from knowledge.evaluation.golden import GoldenSet
from knowledge.evaluation.measuring import CaseResult, Measure, measure, measure_of
from knowledge.evaluation.metrics import METRIC_NAMES


def _known(name: str) -> str:
    if name not in METRIC_NAMES:
        raise ValueError(f"{name!r} is no metric; there are {', '.join(sorted(METRIC_NAMES))}")
    return name


Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Bound(Outgoing):
    """A metric's least or greatest value over one set of cases, or over all that were asked."""

    metric: Annotated[str, AfterValidator(_known)]
    case_set: GoldenSet | None = None
    at_least: Share | None = None
    at_most: Share | None = None

    @model_validator(mode="after")
    def _has_one_side(self) -> Self:
        if (self.at_least is None) is (self.at_most is None):
            raise ValueError("a bound has either at_least or at_most")
        return self

    def holds(self, value: float) -> bool:
        """Tell whether a value is within the bound."""
        return value >= self.at_least if self.at_least is not None else value <= (self.at_most or 0.0)

    @property
    def spelled(self) -> str:
        """Write the bound as people set it."""
        side = f">={self.at_least:g}" if self.at_least is not None else f"<={self.at_most or 0:g}"
        return f"{f'{self.case_set}:' if self.case_set else ''}{self.metric}{side}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Bounds that hold together. Without any bound the tenant is not gated."""

    number: int
    bounds: tuple[Bound, ...]
    set_by: str
    set_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """One reason why a result does not pass."""

    metric: str
    sentence: str


def find_missed(
    results: Sequence[CaseResult], bounds: Sequence[Bound], comparison: Comparison | None
) -> tuple[Missed, ...]:
    """List the bounds that a result misses, and what is worse than the published version by more than chance.

    A bound on what was not measured is missed: nothing shows that it holds.
    """
    below = [missed for bound in bounds if (missed := _miss(bound, results)) is not None]
    return (*below, *(_worse(comparison) if comparison is not None else ()))


def _miss(bound: Bound, results: Sequence[CaseResult]) -> Missed | None:
    asked = [each for each in results if bound.case_set in (None, each.case_set)]
    found = measure_of(measure(asked), bound.metric)
    if found.value is None:
        return Missed(metric=bound.metric, sentence=f"{bound.spelled}: nothing was measured.")
    if bound.holds(found.value):
        return None
    return Missed(metric=bound.metric, sentence=f"{bound.spelled}: it is {told(found)}.")


def told(found: Measure) -> str:
    """Write a measure with its count and interval."""
    if found.value is None or found.interval is None:
        return "not measured"
    low, high = found.interval
    return f"{found.value:.3f} ({found.rate.number} of {found.rate.out_of}; {low:.3f} to {high:.3f})"


def _worse(comparison: Comparison) -> tuple[Missed, ...]:
    found = [
        Missed(
            metric=each.metric.name,
            sentence=(
                f"{each.metric.name}: {each.candidate.value or 0:.3f} is worse than the {each.published.value or 0:.3f}"
                " of the published version by more than chance."
            ),
        )
        for each in comparison.differences
        if each.is_worse
    ]
    if comparison.is_worse:
        sentence = f"{comparison.lost} questions are lost and {comparison.won} won against the published version."
        found.append(Missed(metric="right", sentence=sentence))
    return tuple(found)
