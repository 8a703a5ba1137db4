"""Sum scores up by group, each count beside its denominator, and name the bars that may never be missed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from knowledge.evaluation.golden import Golden
from knowledge.evaluation.intervals import Rate
from knowledge.evaluation.observed import Observed
from knowledge.evaluation.scoring import Score


@dataclass(frozen=True, slots=True)
class Scored:
    """One golden question with what happened and what it is worth."""

    golden: Golden
    observed: Observed
    score: Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a group of questions came to. Latencies are seconds over attempts that did not fail."""

    questions: int
    failures: int
    routes_right: Rate
    evidence_hits: Rate
    quotes_verbatim: Rate
    unsupported_claims: Rate
    wrong_answers: Rate
    needless_refusals: Rate
    stale_citations: Rate
    escalations_answered: int
    seconds_p50: float | None
    seconds_p95: float | None


def summarise(rows: Iterable[Scored]) -> Summary:
    """Sum up a group."""
    rows = tuple(rows)
    scores = tuple(row.score for row in rows)
    hits = tuple(score.evidence_hit for score in scores if score.evidence_hit is not None)
    seconds = sorted(row.observed.seconds for row in rows if row.observed.failure is None)
    quotes = sum(score.quotes for score in scores)
    return Summary(
        questions=len(rows),
        failures=sum(row.observed.failure is not None for row in rows),
        routes_right=Rate(sum(score.route_right for score in scores), len(rows)),
        evidence_hits=Rate(sum(hits), len(hits)),
        quotes_verbatim=Rate(sum(score.quotes_verbatim for score in scores), quotes),
        unsupported_claims=Rate(
            sum(len(score.unsupported_claims) for score in scores), sum(score.claims for score in scores)
        ),
        wrong_answers=Rate(
            sum(bool(score.wrong_because) for score in scores), sum(row.observed.answered for row in rows)
        ),
        needless_refusals=Rate(
            sum(score.needless_refusal for score in scores), sum(row.golden.must_be_answered for row in rows)
        ),
        stale_citations=Rate(sum(score.stale_citations for score in scores), quotes),
        escalations_answered=sum(score.escalation_answered for score in scores),
        seconds_p50=percentile(seconds, 0.5),
        seconds_p95=percentile(seconds, 0.95),
    )


def grouped(rows: Sequence[Scored]) -> dict[tuple[str, str], tuple[Scored, ...]]:
    """Group by category and language, in the order of first appearance."""
    groups: dict[tuple[str, str], list[Scored]] = {}
    for row in rows:
        groups.setdefault((row.golden.category, row.golden.lang), []).append(row)
    return {key: tuple(members) for key, members in groups.items()}


def missed_bars(total: Summary) -> tuple[str, ...]:
    """Name the hard bars that are missed; none means that what is shown can be trusted."""
    verbatim, quotes = total.quotes_verbatim
    bars = (
        (total.failures < total.questions, "no attempt came to a result"),
        (verbatim == quotes, f"{quotes - verbatim} of {quotes} quotes are not verbatim in their passage"),
        (
            total.unsupported_claims.number == 0,
            f"{total.unsupported_claims.number} claims are not carried by their quotes",
        ),
        (total.stale_citations.number == 0, f"{total.stale_citations.number} citations are of revisions not in force"),
        (total.escalations_answered == 0, f"{total.escalations_answered} escalation topics are answered"),
    )
    return tuple(sentence for held, sentence in bars if not held)


def percentile(ordered: Sequence[float], share: float) -> float | None:
    """Give the smallest value that at least this share of the ordered values does not exceed; None of nothing."""
    return ordered[max(ceil(share * len(ordered)), 1) - 1] if ordered else None
