"""Two arms become one order on a fixed scale."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from contracts.reasons import RefusalCause
from knowledge.retrieval.explaining import Seen, explain
from knowledge.retrieval.fusion import (
    Fusion,
    bm25_maximum,
    inverse_frequency,
    leading_terms,
    order,
    weigh_terms,
    within_bounds,
)
from knowledge.retrieval.passage import Found, Passage, Scores
from knowledge.versions.calibration import Calibration
from knowledge.versions.routing_policy import Bounds, ThreeWeights, TwoWeights, Weights

_WEIGHTS = Weights(bm25=5, use=0.5, two=TwoWeights(bm25=6, use=0.3), three=ThreeWeights(bm25=4, use=0.2, second=0.7))
_FUSION = Fusion(weights=_WEIGHTS, calibration=Calibration(mean=0.2, sd=0.1, pairs=9), bm25_maximum=10)


def test_a_fused_score_weighs_share_and_similarity() -> None:
    scores = _FUSION.scores(bm25=4, cosine=0.5, best_sentence=0.7)

    assert scores.bm25_share == pytest.approx(0.4)
    assert scores.fused == pytest.approx(6 * 0.4 + 0.3 * (0.6 - 0.2) / 0.1)
    assert scores.meaning == pytest.approx(0.5 * (0.6 - 0.2) / 0.1)


def test_a_second_arm_joins_the_order_and_leaves_the_evidence() -> None:
    scale = Calibration(mean=0.8, sd=0.02, pairs=9)
    both = replace(_FUSION, calibration=replace(_FUSION.calibration, second=scale))

    with_second = both.scores(bm25=4, cosine=0.4, second=0.85)
    without = both.scores(bm25=4, cosine=0.4)

    assert with_second.fused == pytest.approx(4 * 0.4 + 0.2 * 2 + 0.7 * 2.5)
    assert without.fused == _FUSION.scores(bm25=4, cosine=0.4, second=0.85).fused
    assert with_second.meaning == without.meaning


def test_a_question_without_known_terms_has_no_share() -> None:
    empty = Fusion(weights=Weights(), calibration=Calibration(mean=0, sd=1, pairs=0), bm25_maximum=0)

    assert empty.scores(bm25=0, cosine=0).fused == 0


def test_ties_go_by_id() -> None:
    same = _FUSION.scores(bm25=1, cosine=0.1)
    first, second = UUID(int=1), UUID(int=2)

    assert [each.passage_id for each in order({second: same, first: same})] == [first, second]


def test_common_terms_are_dropped_but_never_all() -> None:
    frequencies = {"的": 900, "退": 5}

    assert set(weigh_terms(["的", "退", "新"], frequencies, passages=1000, drop_common=True)) == {"退", "新"}
    assert set(weigh_terms(["的"], frequencies, passages=1000, drop_common=True)) == {"的"}
    assert set(weigh_terms(["的", "退"], frequencies, passages=1000, drop_common=False)) == {"的", "退"}


def test_the_rarest_of_too_many_terms_are_kept() -> None:
    terms = [f"t{number}" for number in range(500)]
    weighed = weigh_terms(terms, {term: 1 + int(term[1:]) for term in terms}, passages=1000, drop_common=False)

    assert set(weighed) == set(terms[:200])
    assert bm25_maximum(weighed.values()) == pytest.approx(2.2 * sum(weighed.values()))


def test_an_unknown_term_is_the_rarest_and_no_idf_is_negative() -> None:
    assert inverse_frequency(10, 0) > inverse_frequency(10, 1) > inverse_frequency(10, 10) > 0
    assert inverse_frequency(0, 3) > 0


def test_a_context_keeps_its_bounds_and_always_the_best() -> None:
    found = [_found(number, 700) for number in range(10)]

    assert len(within_bounds(found, Bounds(context_passages=3))) == 3
    assert len(within_bounds(found, Bounds(context_characters=1500))) == 2
    assert len(within_bounds(found, Bounds(context_characters=10))) == 1
    assert within_bounds([], Bounds()) == ()


@pytest.mark.parametrize(
    ("seen", "cause"),
    [
        ([], RefusalCause.NOTHING_RETRIEVED),
        ([(0.5, True, True)], RefusalCause.BELOW_THRESHOLD),
        ([(0.5, False, True)], RefusalCause.BELOW_THRESHOLD),
        ([(2.0, False, True), (1.5, True, False)], RefusalCause.FILTERED_BY_ACCESS),
        ([(2.0, True, False), (1.5, False, True)], RefusalCause.NOT_IN_FORCE),
        ([(2.0, True, True)], RefusalCause.BELOW_THRESHOLD),
    ],
)
def test_a_refusal_has_the_cause_of_its_strongest_hidden_passage(
    seen: list[tuple[float, bool, bool]], cause: RefusalCause
) -> None:
    passages = [Seen(strength=each, is_visible=visible, is_in_force=in_force) for each, visible, in_force in seen]

    assert explain(passages, answer_from=1.0) is cause


def _found(number: int, characters: int) -> Found:
    passage = Passage(
        passage_id=UUID(int=number), document="d", title="t", heading_path=("t",), revision="1", effective_from=None,
        effective_to=None, updated_at=datetime(2026, 1, 1, tzinfo=UTC), language="zh", priority=0,
        text="x" * characters, applies_to=None, requires_facts=(), decision="rule", source_url=None, sentences=(),
    )  # fmt: skip
    scores = Scores(bm25=0, bm25_share=0, cosine=0, best_sentence=0, fused=0)
    return Found(passage=passage, scores=scores)


@pytest.mark.parametrize(
    ("frequencies", "leading"),
    [
        ({"a": 10, "b": 11_000, "c": 900}, {"a", "b", "c"}),
        ({"a": 10, "b": 11_000, "c": 1_500}, {"a", "c"}),
        ({"a": 30_000, "b": 40_000}, {"a"}),
        ({}, set[str]()),
    ],
)
def test_the_rarest_terms_lead_as_long_as_few_passages_hold_them(
    frequencies: dict[str, int], leading: set[str]
) -> None:
    idf = {term: inverse_frequency(100_000, count) for term, count in frequencies.items()}

    assert leading_terms(idf, frequencies) == leading
