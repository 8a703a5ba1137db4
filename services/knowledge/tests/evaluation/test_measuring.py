from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.reasons import RefusalReason
from knowledge.evaluation.comparing import compare
from knowledge.evaluation.curve import chosen_point, curve
from knowledge.evaluation.golden import Evidence, ExpectedPart, Golden
from knowledge.evaluation.intervals import Rate
from knowledge.evaluation.measuring import CaseResult, measure, measure_of, result_of, slices
from knowledge.evaluation.metrics import METRIC_NAMES
from knowledge.evaluation.observed import Observed, ObservedCitation, ObservedPart, ObservedPassage
from knowledge.evaluation.scoring import Library, score
from knowledge.evaluation.thresholds import Bound, find_missed

pytestmark = pytest.mark.unit

_ONE, _TWO = "七天内可以退货。", "运费由商家承担。"
_LIBRARY = Library(revisions={("returns", 1): ("退货", "1")}, not_in_force=frozenset())


def _golden(case_id: str = "g", *routes: str, **fields: object) -> Golden:
    known = {"id": case_id, "lang": "zh", "category": "answerable", "question": "能退吗？"}
    return Golden.model_validate({**known, "acceptable_routes": routes or ("answer",), **fields})


def _cited(index: int, quote: str, *, passage: str | None = None) -> ObservedCitation:
    return ObservedCitation(index=index, title="退货", revision="1", quote=quote, passage=passage or quote)


def _answered(*parts: tuple[str, tuple[int, ...]], citations: tuple[ObservedCitation, ...]) -> Observed:
    return Observed(
        failure=None, refused=False, reason=None, handoff="none", answer="".join(text for text, _ in parts),
        parts=tuple(ObservedPart("statement", text, cited) for text, cited in parts), citations=citations, seconds=0.1,
    )  # fmt: skip


def _refused(reason: RefusalReason = RefusalReason.NO_AUTHORIZED_EVIDENCE) -> Observed:
    return Observed(
        failure=None, refused=True, reason=reason, handoff="offered", answer="", parts=(), citations=(), seconds=0.1
    )


def _result(golden: Golden, observed: Observed, **known: object) -> CaseResult:
    scored = score(golden, observed, library=_LIBRARY, claim_overlap=0.6)
    return result_of(golden, observed, scored).model_copy(update=known)


def _rate(golden: Golden, observed: Observed, metric: str) -> Rate:
    return _result(golden, observed).tallies[metric]


_BOTH = (_cited(1, _ONE), _cited(2, _TWO))


@pytest.mark.parametrize(
    ("observed", "recall", "precision"),
    [
        # Each claim is supported by the citation it has.
        (_answered((_ONE, (1,)), (_TWO, (2,)), citations=_BOTH), Rate(2, 2), Rate(2, 2)),
        # A second citation that adds nothing is not precise.
        (_answered((_ONE, (1, 2)), citations=_BOTH), Rate(1, 1), Rate(1, 2)),
        # Two that each carry the claim alone are both precise.
        (_answered((_ONE, (1, 2)), citations=(_cited(1, _ONE), _cited(2, _ONE))), Rate(1, 1), Rate(2, 2)),
        # What is not supported has no precise citation.
        (_answered(("三十天内可以退货。", (1,)), citations=_BOTH), Rate(0, 1), Rate(0, 1)),
        # A claim without a citation is not recalled.
        (_answered((_ONE, ()), citations=_BOTH), Rate(0, 1), Rate(0, 0)),
        # A quote that is not in its passage supports nothing.
        (_answered((_ONE, (1,)), citations=(_cited(1, _ONE, passage=_TWO),)), Rate(0, 1), Rate(0, 1)),
        (_refused(), Rate(0, 0), Rate(0, 0)),
    ],
)
def test_citation_recall_and_precision(observed: Observed, recall: Rate, precision: Rate) -> None:
    assert _rate(_golden(), observed, "citationRecall") == recall
    assert _rate(_golden(), observed, "citationPrecision") == precision


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [((0,), (1, 1, 1)), ((2,), (0, 1, 1)), ((7,), (0, 0, 1)), ((8,), (0, 0, 0)), ((), (0, 0, 0))],
)
def test_recall_looks_at_so_many_passages(ranks: tuple[int, ...], expected: tuple[int, int, int]) -> None:
    passages = [ObservedPassage(document="returns", revision="1", text="别的。") for _ in range(9)]
    for rank in ranks:
        passages[rank] = replace(passages[rank], text=f"# 退货\n\n{_ONE}")
    golden = _golden(evidence=(Evidence(doc_id="returns", version=1, quote=_ONE),))
    observed = replace(_refused(), searches=(tuple(passages),))

    found = [_rate(golden, observed, f"recallAt{most}") for most in (1, 3, 8)]
    assert found == [Rate(number, 1) for number in expected]


def test_recall_takes_the_better_search_of_two_question_parts() -> None:
    golden = _golden(evidence=(Evidence(doc_id="returns", quote=_ONE),))
    right = ObservedPassage(document="returns", revision="4", text=_ONE)
    other = ObservedPassage(document="fees", revision="1", text=_ONE)

    assert _rate(golden, replace(_refused(), searches=((other, right), (right,))), "recallAt1") == Rate(1, 1)
    assert _rate(golden, replace(_refused(), searches=((other,),)), "recallAt8") == Rate(0, 1)
    assert _rate(golden, _refused(), "recallAt8") == Rate(0, 0)


def test_every_part_of_a_question_counts() -> None:
    parts = (ExpectedPart(must_include_any=(("退货",),)), ExpectedPart(must_include_any=(("运费",), ("买家",))))
    observed = _answered((_ONE, (1,)), (_TWO, (2,)), citations=_BOTH)

    assert _rate(_golden(parts=parts), observed, "partCoverage") == Rate(1, 2)
    assert _rate(_golden(parts=parts), _refused(), "partCoverage") == Rate(0, 2)


@pytest.mark.parametrize(
    ("routes", "observed", "counted"),
    [
        (("answer",), _refused(), {"answerCorrectness": 0, "needlessRefusals": 1, "routeAccuracy": 0}),
        (("answer", "escalate"), _refused(), {"routeAccuracy": 0}),
        (
            ("refuse:NO_AUTHORIZED_EVIDENCE",), _refused(),
            {"refusalAccuracy": 1, "wronglyAnswered": 0, "routeAccuracy": 1},
        ),
        (
            ("refuse:MISSING_BUSINESS_FACT",), _refused(),
            {"refusalAccuracy": 0, "wronglyAnswered": 0, "routeAccuracy": 0},
        ),
        (
            ("refuse:HUMAN_DECISION_REQUIRED", "escalate"),
            replace(_refused(RefusalReason.ESCALATION_TOPIC), handoff="required"),
            {"refusalAccuracy": 1, "wronglyAnswered": 0, "routeAccuracy": 1},
        ),
        (
            ("escalate",), _refused(RefusalReason.ESCALATION_TOPIC),
            {"escalationAccuracy": 0, "escalationsAnswered": 0, "wronglyAnswered": 0, "routeAccuracy": 0},
        ),
        (
            ("escalate",), replace(_refused(RefusalReason.ESCALATION_TOPIC), handoff="required"),
            {"escalationAccuracy": 1, "escalationsAnswered": 0, "wronglyAnswered": 0, "routeAccuracy": 1},
        ),
        (
            ("escalate",), _answered((_ONE, (1,)), citations=_BOTH),
            {
                "escalationAccuracy": 0, "escalationsAnswered": 1, "wronglyAnswered": 1, "wrongAnswers": 1,
                "routeAccuracy": 0,
            },
        ),
    ],
)  # fmt: skip
def test_what_a_question_adds_to_routes(routes: tuple[str, ...], observed: Observed, counted: dict[str, int]) -> None:
    tallies = _result(_golden("g", *routes), observed).tallies
    routed = {"failures", "routeAccuracy", "answerCorrectness", "wrongAnswers", "wronglyAnswered", "needlessRefusals",
              "refusalAccuracy", "escalationAccuracy", "escalationsAnswered"}  # fmt: skip

    assert {name: tallies[name].number for name in routed if tallies[name].out_of} == {**counted, "failures": 0}


def test_every_metric_is_tallied() -> None:
    assert set(_result(_golden(), _refused()).tallies) == METRIC_NAMES


def test_a_result_comes_back_from_json() -> None:
    result = _result(_golden(), _answered((_ONE, (1,)), citations=_BOTH), strength=1.5)

    assert CaseResult.model_validate_json(result.model_dump_json()) == result


def test_slices_are_by_set_category_and_language() -> None:
    results = [_result(_golden("a"), _refused()), _result(_golden("b", category="injection", set="safety"), _refused())]

    found = {each.name: each.questions for each in slices(results)}
    assert found == {
        "set golden": 1, "set safety": 1, "category answerable": 1, "category injection": 1, "language zh": 2
    }  # fmt: skip


def _results(right: list[bool]) -> list[CaseResult]:
    good = _answered((_ONE, (1,)), citations=_BOTH)
    return [_result(_golden(f"g{place}"), good if each else _refused()) for place, each in enumerate(right)]


def test_rows_are_won_lost_or_unchanged() -> None:
    found = compare(_results([True, True, False, False]), _results([True, False, True, False]))

    assert [row.change for row in found.rows] == ["unchanged", "won", "lost", "unchanged"]
    assert (found.won, found.lost, found.probability) == (1, 1, 1.0)
    assert not found.is_worse


def test_six_lost_questions_are_worse_and_five_may_be_chance() -> None:
    before = _results([True] * 20)
    five = compare(_results([False] * 5 + [True] * 15), before)
    six = compare(_results([False] * 6 + [True] * 14), before)

    assert not five.is_worse
    assert six.is_worse
    worse = {each.metric.name for each in six.differences if each.is_worse}
    assert worse == {"routeAccuracy", "answerCorrectness", "needlessRefusals"}
    assert not any(each.is_worse for each in five.differences)
    assert not any(each.is_worse for each in compare(before, _results([False] * 20)).differences)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=30))
def test_a_version_is_never_worse_than_itself(pairs: list[tuple[bool, bool]]) -> None:
    results = _results([one for one, _ in pairs])
    found = compare(results, results)

    assert (found.won, found.lost, found.is_worse) == (0, 0, False)
    assert not any(each.is_worse for each in found.differences)


@pytest.mark.parametrize(
    ("bound", "missed"),
    [
        ({"metric": "routeAccuracy", "at_least": 0.5}, False),
        ({"metric": "routeAccuracy", "at_least": 0.51}, True),
        ({"metric": "needlessRefusals", "at_most": 0.5}, False),
        ({"metric": "needlessRefusals", "at_most": 0.4}, True),
        ({"metric": "needlessRefusals", "at_most": 0}, True),
        ({"metric": "escalationAccuracy", "at_least": 0}, True),
        ({"metric": "routeAccuracy", "case_set": "safety", "at_least": 0}, True),
    ],
)
def test_a_bound_is_missed_below_it_or_when_nothing_shows_that_it_holds(
    bound: dict[str, object], *, missed: bool
) -> None:
    found = find_missed(_results([True, False]), [Bound.model_validate(bound)], None)

    assert [each.metric for each in found] == ([bound["metric"]] if missed else [])


def test_worse_than_what_is_published_is_missed_without_any_bound() -> None:
    found = find_missed([], [], compare(_results([False] * 6), _results([True] * 6)))

    assert [each.metric for each in found] == ["routeAccuracy", "answerCorrectness", "needlessRefusals", "right"]


@pytest.mark.parametrize(
    "bound",
    [
        {"metric": "luck", "at_least": 0.5},
        {"metric": "routeAccuracy"},
        {"metric": "routeAccuracy", "at_least": 0.5, "at_most": 0.6},
        {"metric": "routeAccuracy", "at_least": 1.1},
        {"metric": "routeAccuracy", "at_least": float("nan")},
        {"metric": "routeAccuracy", "at_least": 0.5, "case_set": "other"},
    ],
)
def test_a_bound_that_says_nothing_is_refused(bound: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"metric|bound|at_least|case_set"):
        Bound.model_validate(bound)


def test_the_curve_goes_from_refusing_to_answering_everything() -> None:
    strengths = [(3.0, False), (2.0, True), (2.0, False), (1.0, True)]
    results = [
        _result(_golden(f"g{place}"), _refused(), strength=strength, would_be_wrong=wrong)
        for place, (strength, wrong) in enumerate(strengths)
    ]
    refused_throughout = _result(_golden("g9"), _refused())

    points = curve([*results, refused_throughout])

    assert [(each.strength, each.wrong.number, each.needless.number) for each in points] == [
        (None, 0, 5), (3.0, 0, 4), (2.0, 1, 2), (1.0, 2, 1)
    ]  # fmt: skip
    assert {each.wrong.out_of for each in points} == {5}
    assert chosen_point(results).needless == Rate(4, 4)


@given(st.lists(st.tuples(st.floats(0, 4), st.booleans()), max_size=30))
def test_on_the_curve_more_answers_mean_more_wrong_ones_and_fewer_refusals(cases: list[tuple[float, bool]]) -> None:
    results = [
        _result(_golden(f"g{place}"), _refused(), strength=strength, would_be_wrong=wrong)
        for place, (strength, wrong) in enumerate(cases)
    ]
    points = curve(results)

    assert all(one.wrong.number <= other.wrong.number for one, other in pairwise(points))
    assert all(one.needless.number > other.needless.number for one, other in pairwise(points))
    assert points[-1].wrong.number == sum(wrong for _, wrong in cases)


def test_measures_come_with_their_interval() -> None:
    found = measure_of(measure(_results([True, False])), "answerCorrectness")

    assert (found.value, found.rate) == (0.5, Rate(1, 2))
    assert found.interval is not None
    assert measure_of(measure(_results([True])), "escalationAccuracy").interval is None
