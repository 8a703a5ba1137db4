"""What is measured: each metric by name, which way is better, and what one case adds to it."""

from dataclasses import dataclass
from typing import Final, Literal

from knowledge.evaluation.golden import ESCALATE, Golden
from knowledge.evaluation.intervals import Rate
from knowledge.evaluation.observed import Observed
from knowledge.evaluation.scoring import Score

Better = Literal["higher", "lower"]
_REFUSE: Final = "refuse:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A rate. `per_question` says that a question adds one or nothing to what it is out of."""

    name: str
    title: str
    out_of: str
    better: Better
    per_question: bool = True


METRICS: Final = (
    Metric(name="routeAccuracy", title="Route is acceptable", out_of="questions", better="higher"),
    Metric(
        name="answerCorrectness",
        title="Answered, and nothing wrong with it",
        out_of="questions to answer",
        better="higher",
    ),
    Metric(name="wrongAnswers", title="Answer is wrong", out_of="answers", better="lower"),
    Metric(
        name="wronglyAnswered",
        title="Answered although no answer is acceptable",
        out_of="questions not to answer",
        better="lower",
    ),
    Metric(name="needlessRefusals", title="Refused needlessly", out_of="questions to answer", better="lower"),
    Metric(name="refusalAccuracy", title="Refused for the right reason", out_of="questions to refuse", better="higher"),
    Metric(name="escalationAccuracy", title="Handed over to people", out_of="questions to escalate", better="higher"),
    Metric(
        name="escalationsAnswered", title="Escalation topic is answered", out_of="questions to escalate", better="lower"
    ),
    Metric(name="evidenceHit", title="Golden evidence is cited", out_of="answers with evidence", better="higher"),
    Metric(
        name="recallAt1", title="Evidence first in the search", out_of="evidence", better="higher", per_question=False
    ),
    Metric(name="recallAt3", title="Evidence in the first 3", out_of="evidence", better="higher", per_question=False),
    Metric(name="recallAt8", title="Evidence in the first 8", out_of="evidence", better="higher", per_question=False),
    Metric(name="partCoverage", title="Question part is answered", out_of="parts", better="higher", per_question=False),
    Metric(
        name="citationRecall",
        title="Claim follows from its citations",
        out_of="claims",
        better="higher",
        per_question=False,
    ),
    Metric(
        name="citationPrecision",
        title="Citation is needed",
        out_of="citations of claims",
        better="higher",
        per_question=False,
    ),
    Metric(
        name="unsupportedClaims", title="Claim is not supported", out_of="claims", better="lower", per_question=False
    ),
    Metric(
        name="verbatimQuotes",
        title="Quote stands in its passage",
        out_of="citations",
        better="higher",
        per_question=False,
    ),
    Metric(
        name="staleEvidence", title="Citation is not in force", out_of="citations", better="lower", per_question=False
    ),
    Metric(name="failures", title="Ended in a fault", out_of="questions", better="lower"),
)
METRIC_NAMES: Final = frozenset(metric.name for metric in METRICS)


def tally(golden: Golden, observed: Observed, score: Score) -> dict[str, Rate]:
    """Say what one case adds to every metric."""
    return {**_tally_routes(golden, observed, score), **_tally_evidence(score), **_tally_citations(score)}


def is_right(observed: Observed, score: Score) -> bool:
    """Tell whether a case went as it should: the route, and everything that was said."""
    wrong = score.wrong_because or score.unsupported_claims or score.stale_citations
    return observed.failure is None and score.route_right and not wrong


def _tally_routes(golden: Golden, observed: Observed, score: Score) -> dict[str, Rate]:
    wrong = bool(score.wrong_because)
    routes = set(golden.acceptable_routes)
    to_escalate = routes == {ESCALATE}
    to_refuse = not golden.may_be_answered and any(route.startswith(_REFUSE) for route in routes)
    return {
        "routeAccuracy": _of(True, score.route_right),
        "answerCorrectness": _of(golden.must_be_answered, observed.answered and not wrong),
        "wrongAnswers": _of(observed.answered, wrong),
        "wronglyAnswered": _of(not golden.may_be_answered, observed.answered),
        "needlessRefusals": _of(golden.must_be_answered, score.needless_refusal),
        "refusalAccuracy": _of(to_refuse, score.route_right),
        "escalationAccuracy": _of(to_escalate, ESCALATE in observed.routes),
        "escalationsAnswered": _of(to_escalate, observed.answered),
        "failures": _of(True, observed.failure is not None),
    }


def _tally_evidence(score: Score) -> dict[str, Rate]:
    ranks = score.evidence_ranks or ()
    recalls = {
        f"recallAt{most}": Rate(sum(rank is not None and rank <= most for rank in ranks), len(ranks))
        for most in (1, 3, 8)
    }
    return {"evidenceHit": _of(score.evidence_hit is not None, bool(score.evidence_hit)), **recalls}


def _tally_citations(score: Score) -> dict[str, Rate]:
    return {
        "partCoverage": score.parts_said,
        "citationRecall": score.citation_recall,
        "citationPrecision": score.citation_precision,
        "unsupportedClaims": Rate(len(score.unsupported_claims), score.claims),
        "verbatimQuotes": Rate(score.quotes_verbatim, score.quotes),
        "staleEvidence": Rate(score.stale_citations, score.quotes),
    }


def _of(counts: bool, happened: bool) -> Rate:  # noqa: FBT001 - two values, no flags
    return Rate(int(counts and happened), int(counts))
