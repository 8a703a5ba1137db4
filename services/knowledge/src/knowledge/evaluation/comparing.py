"""Compare two versions on the same questions, row by row: what was won, what was lost, and whether it is chance."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from knowledge.evaluation.intervals import Interval, Rate, mcnemar, paired_difference
from knowledge.evaluation.measuring import CaseResult, rate_of
from knowledge.evaluation.metrics import METRICS, Metric

Change = Literal["won", "lost", "unchanged"]
_CHANCE: Final = 0.05
_NOTHING: Final = Rate(0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A question on both versions. `differs` says that the answers or routes do, right or not."""

    candidate: CaseResult
    published: CaseResult

    @property
    def change(self) -> Change:
        """Say whether the question was won or lost."""
        if self.candidate.right == self.published.right:
            return "unchanged"
        return "won" if self.candidate.right else "lost"

    @property
    def differs(self) -> bool:
        """Tell whether a customer would see another end."""
        return (self.candidate.routes, self.candidate.answer) != (self.published.routes, self.published.answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A metric of both versions. `probability` is McNemar's, `interval` the bootstrap's; each metric has one of them."""

    metric: Metric
    candidate: Rate
    published: Rate
    probability: float | None
    interval: Interval | None

    @property
    def is_worse(self) -> bool:
        """Tell whether the candidate is worse by more than chance."""
        one, other = self.candidate.value, self.published.value
        if one is None or other is None or one == other or (one > other) is (self.metric.better == "higher"):
            return False
        if self.probability is not None:
            return self.probability < _CHANCE
        return self.interval is not None and not self.interval.low <= 0 <= self.interval.high


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two versions side by side. `probability` is of so uneven a split of won and lost questions."""

    rows: tuple[Row, ...]
    won: int
    lost: int
    probability: float
    differences: tuple[Difference, ...]

    @property
    def is_worse(self) -> bool:
        """Tell whether more questions were lost than won, by more than chance."""
        return self.lost > self.won and self.probability < _CHANCE


def compare(candidate: Sequence[CaseResult], published: Sequence[CaseResult]) -> Comparison:
    """Compare what both versions made of the questions that both were asked."""
    before = {result.case_id: result for result in published}
    rows = tuple(
        Row(candidate=result, published=before[result.case_id]) for result in candidate if result.case_id in before
    )
    won, lost = (sum(row.change == change for row in rows) for change in ("won", "lost"))
    return Comparison(
        rows=rows,
        won=won,
        lost=lost,
        probability=mcnemar(won, lost),
        differences=tuple(_difference(metric, rows) for metric in METRICS),
    )


def _difference(metric: Metric, rows: Sequence[Row]) -> Difference:
    pairs = [(rate_of(row.candidate.tallies, metric), rate_of(row.published.tallies, metric)) for row in rows]
    return Difference(
        metric=metric,
        candidate=_total([one for one, _ in pairs]),
        published=_total([other for _, other in pairs]),
        probability=_mcnemar(pairs) if metric.per_question else None,
        interval=None if metric.per_question else paired_difference(pairs),
    )


def _mcnemar(pairs: Sequence[tuple[Rate, Rate]]) -> float:
    """Compare by questions that count for one of the versions at least: a wrong answer is lost to a refusal."""
    return mcnemar(
        sum(one.number > other.number for one, other in pairs), sum(one.number < other.number for one, other in pairs)
    )


def _total(rates: Sequence[Rate]) -> Rate:
    return Rate(sum(rate.number for rate in rates), sum(rate.out_of for rate in rates))
