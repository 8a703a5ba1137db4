"""Sums a run up once, for everybody who reads it later."""

from collections.abc import Sequence
from typing import Final

from contracts.model import Outgoing
from knowledge.evaluation.comparing import Comparison, Difference, compare
from knowledge.evaluation.curve import Point, chosen_point, curve
from knowledge.evaluation.measuring import CaseResult, Measure, measure, slices
from knowledge.evaluation.metrics import Better

_MOST_POINTS: Final = 200


class MeasureView(Outgoing):
    """A metric with its 95 % interval; no value where nothing was to be measured."""

    metric: str
    title: str
    per: str
    better: Better
    number: int
    out_of: int
    value: float | None
    low: float | None
    high: float | None


class SliceView(Outgoing):
    """The metrics over some of the questions."""

    name: str
    questions: int
    measures: tuple[MeasureView, ...]


class DifferenceView(Outgoing):
    """A metric of both versions. `worse` says that the difference is no chance; `probability` is McNemar's."""

    metric: str
    candidate: float | None
    published: float | None
    probability: float | None
    low: float | None
    high: float | None
    worse: bool


class ComparisonView(Outgoing):
    """Both versions over the questions that both were asked."""

    questions: int
    won: int
    lost: int
    unchanged: int
    differing: int
    probability: float
    worse: bool
    differences: tuple[DifferenceView, ...]


class PointView(Outgoing):
    """A point of the trade-off: so many wrong answers against so many needless refusals."""

    strength: float | None
    wrong: int
    wrong_out_of: int
    needless: int
    needless_out_of: int


class RunSummary(Outgoing):
    """All that a run came to but its single questions."""

    questions: int
    measures: tuple[MeasureView, ...]
    slices: tuple[SliceView, ...]
    comparison: ComparisonView | None
    curve: tuple[PointView, ...]
    point: PointView


def sum_up(results: Sequence[CaseResult], comparison: Comparison | None) -> RunSummary:
    """Sum up the results of a run."""
    return RunSummary(
        questions=len(results),
        measures=tuple(_measure(each) for each in measure(results)),
        slices=tuple(
            SliceView(name=each.name, questions=each.questions, measures=tuple(_measure(one) for one in each.measures))
            for each in slices(results)
        ),
        comparison=None if comparison is None else _comparison(comparison),
        curve=tuple(_point(each) for each in _thinned(curve(results))),
        point=_point(chosen_point(results)),
    )


def compared(candidate: Sequence[CaseResult], published: Sequence[CaseResult]) -> Comparison | None:
    """Compare with the published version where it was asked too."""
    return compare(candidate, published) if published else None


def _measure(found: Measure) -> MeasureView:
    return MeasureView(
        metric=found.metric.name,
        title=found.metric.title,
        per=found.metric.out_of,
        better=found.metric.better,
        number=found.rate.number,
        out_of=found.rate.out_of,
        value=found.value,
        low=found.interval.low if found.interval else None,
        high=found.interval.high if found.interval else None,
    )


def _comparison(comparison: Comparison) -> ComparisonView:
    rows = comparison.rows
    return ComparisonView(
        questions=len(rows),
        won=comparison.won,
        lost=comparison.lost,
        unchanged=len(rows) - comparison.won - comparison.lost,
        differing=sum(row.differs for row in rows),
        probability=comparison.probability,
        worse=comparison.is_worse,
        differences=tuple(_difference(each) for each in comparison.differences if _is_measured(each)),
    )


def _is_measured(difference: Difference) -> bool:
    return bool(difference.candidate.out_of or difference.published.out_of)


def _difference(difference: Difference) -> DifferenceView:
    return DifferenceView(
        metric=difference.metric.name,
        candidate=difference.candidate.value,
        published=difference.published.value,
        probability=difference.probability,
        low=difference.interval.low if difference.interval else None,
        high=difference.interval.high if difference.interval else None,
        worse=difference.is_worse,
    )


def _point(point: Point) -> PointView:
    wrong, needless = point.wrong, point.needless
    return PointView(
        strength=point.strength,
        wrong=wrong.number,
        wrong_out_of=wrong.out_of,
        needless=needless.number,
        needless_out_of=needless.out_of,
    )


def _thinned(points: tuple[Point, ...]) -> tuple[Point, ...]:
    """Keep as many points as a drawing can show, the last one among them."""
    step = -(-len(points) // _MOST_POINTS)
    kept = points[::step]
    return kept if kept[-1] == points[-1] else (*kept, points[-1])
