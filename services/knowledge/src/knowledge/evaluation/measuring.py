"""What a run came to: one result a case, and every metric over them with its interval, also by category and language."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from contracts.model import Outgoing
from contracts.reasons import Language
from knowledge.evaluation.golden import Golden, GoldenSet
from knowledge.evaluation.intervals import Interval, Rate, bootstrap, wilson
from knowledge.evaluation.metrics import METRICS, Metric, is_right, tally
from knowledge.evaluation.observed import Observed
from knowledge.evaluation.scoring import Score

Side = Literal["candidate", "published"]


class Cited(Outgoing):
    """A citation of a result."""

    document: str
    revision: str
    quote: str


class CaseResult(Outgoing):
    """What one golden case came to on one version.

    `strength` is how strong the evidence was. `would_be_wrong` is of the answer it got, or would have got if no
    strength were too low; None when it would have got none whatever its strength.
    """

    case_id: str
    case_set: GoldenSet
    category: str
    language: Language
    routes: tuple[str, ...]
    answer: str
    citations: tuple[Cited, ...]
    right: bool
    why: tuple[str, ...]
    tallies: dict[str, Rate]
    seconds: float
    failure: str | None = None
    answered: bool = False
    must_be_answered: bool = False
    strength: float | None = None
    would_be_wrong: bool | None = None
    cost: Decimal | None = None
    """What models cost for it, in the currency of the price table; None where nobody named a price."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A metric over some questions; None where nothing was to be measured."""

    metric: Metric
    rate: Rate
    interval: Interval | None

    @property
    def value(self) -> float | None:
        """Give the share."""
        return self.rate.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """Some questions of a run that share a property."""

    name: str
    questions: int
    measures: tuple[Measure, ...]


def result_of(
    golden: Golden,
    observed: Observed,
    score: Score,
    *,
    strength: float | None = None,
    would_be_wrong: bool | None = None,
) -> CaseResult:
    """Write down what is kept of a case."""
    cited = (Cited(document=each.document, revision=each.revision, quote=each.quote) for each in observed.citations)
    return CaseResult(
        case_id=golden.id,
        case_set=golden.set,
        category=golden.category,
        language=golden.lang,
        routes=tuple(sorted(observed.routes)),
        answer=observed.answer,
        citations=tuple(cited),
        right=is_right(observed, score),
        why=_why(golden, observed, score),
        tallies=tally(golden, observed, score),
        seconds=round(observed.seconds, 4),
        failure=observed.failure,
        answered=observed.answered,
        must_be_answered=golden.must_be_answered,
        strength=strength,
        would_be_wrong=would_be_wrong,
    )


def measure(results: Sequence[CaseResult]) -> tuple[Measure, ...]:
    """Measure every metric over some results."""
    return tuple(_measure(metric, rates_of(results, metric)) for metric in METRICS)


def measure_of(measures: Iterable[Measure], name: str) -> Measure:
    """Find a measure by the name of its metric."""
    return next(each for each in measures if each.metric.name == name)


def slices(results: Sequence[CaseResult]) -> tuple[Slice, ...]:
    """Measure by set, by category and by language, each in the order of first appearance."""
    groups: dict[str, list[CaseResult]] = {}
    for prefix, of in (("set", "case_set"), ("category", "category"), ("language", "language")):
        for result in results:
            groups.setdefault(f"{prefix} {getattr(result, of)}", []).append(result)
    return tuple(Slice(name=name, questions=len(held), measures=measure(held)) for name, held in groups.items())


def rates_of(results: Iterable[CaseResult], metric: Metric) -> list[Rate]:
    """List what each result adds to a metric."""
    return [rate_of(result.tallies, metric) for result in results]


def rate_of(tallies: Mapping[str, Rate], metric: Metric) -> Rate:
    """Give what a result adds to a metric; nothing for a metric it was measured without."""
    return tallies.get(metric.name, Rate(0, 0))


def _measure(metric: Metric, rates: Sequence[Rate]) -> Measure:
    total = Rate(sum(rate.number for rate in rates), sum(rate.out_of for rate in rates))
    return Measure(metric=metric, rate=total, interval=wilson(total) if metric.per_question else bootstrap(rates))


def _why(golden: Golden, observed: Observed, score: Score) -> tuple[str, ...]:
    """Say in short sentences what went wrong."""
    if observed.failure is not None:
        return (f"ended in {observed.failure}",)
    found = [f"wrong: {reason}" for reason in score.wrong_because]
    found += [f"not supported: {claim}" for claim in score.unsupported_claims]
    if score.stale_citations:
        found.append("cites what is not in force")
    if not score.route_right:
        took, wanted = "/".join(sorted(observed.routes)), " or ".join(golden.acceptable_routes)
        found.append(f"went {took} instead of {wanted}")
    return tuple(found)
