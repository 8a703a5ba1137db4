import pytest

from knowledge.evaluation.golden import Golden
from knowledge.evaluation.intervals import Rate
from knowledge.evaluation.observed import Observed
from knowledge.evaluation.scoring import Score
from knowledge.evaluation.summary import Scored, grouped, missed_bars, percentile, summarise

pytestmark = pytest.mark.unit

GOOD = Score(
    route_right=True,
    evidence_hit=True,
    quotes=2,
    quotes_verbatim=2,
    claims=1,
    unsupported_claims=(),
    wrong_because=(),
    needless_refusal=False,
    stale_citations=0,
    escalation_answered=False,
)
BAD = Score(
    route_right=False,
    evidence_hit=False,
    quotes=3,
    quotes_verbatim=1,
    claims=2,
    unsupported_claims=("so it is said",),
    wrong_because=("the golden evidence is not cited",),
    needless_refusal=False,
    stale_citations=1,
    escalation_answered=True,
)


def row(score: Score, *, category: str = "answerable", seconds: float = 0.1, failure: str | None = None) -> Scored:
    golden = Golden(id="g", lang="en", category=category, scope=None, question="?", acceptable_routes=("answer",))
    observed = Observed(
        failure=failure,
        refused=False,
        reason=None,
        handoff="none",
        answer="",
        parts=(),
        citations=(),
        seconds=seconds,
    )
    return Scored(golden, observed, score)


def test_every_count_stands_beside_its_denominator() -> None:
    total = summarise([row(GOOD, seconds=0.1), row(BAD, seconds=0.3), row(GOOD, failure="INTERNAL", seconds=9)])

    assert (total.questions, total.failures) == (3, 1)
    assert total.routes_right == Rate(2, 3)
    assert total.evidence_hits == Rate(2, 3)
    assert total.quotes_verbatim == Rate(5, 7)
    assert total.unsupported_claims == Rate(1, 4)
    assert total.wrong_answers == Rate(1, 2)
    assert total.needless_refusals == Rate(0, 3)
    assert (total.seconds_p50, total.seconds_p95) == (0.1, 0.3)


def test_a_clean_run_misses_no_bar() -> None:
    assert missed_bars(summarise([row(GOOD)])) == ()


def test_a_run_of_failures_proves_nothing() -> None:
    assert missed_bars(summarise([row(GOOD, failure="KNOWLEDGE_ERROR")])) == ("no attempt came to a result",)


def test_every_missed_bar_is_named() -> None:
    assert missed_bars(summarise([row(GOOD), row(BAD)])) == (
        "2 of 5 quotes are not verbatim in their passage",
        "1 claims are not carried by their quotes",
        "1 citations are of revisions not in force",
        "1 escalation topics are answered",
    )


def test_groups_are_category_and_language() -> None:
    groups = grouped([row(GOOD, category="b"), row(GOOD, category="a"), row(BAD, category="b")])

    assert [(key, len(members)) for key, members in groups.items()] == [(("b", "en"), 2), (("a", "en"), 1)]


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [([], 0.5, None), ([3.0], 0.95, 3.0), ([1.0, 2.0], 0.5, 1.0), ([1.0, 2.0, 3.0], 0.5, 2.0), ([1.0, 2.0], 0.95, 2.0)],
)
def test_a_percentile_is_one_of_the_values(values: list[float], share: float, expected: float | None) -> None:
    assert percentile(values, share) == expected
