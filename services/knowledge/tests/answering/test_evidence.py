"""Words alone never make evidence strong; across languages meaning has to do."""

import pytest

from contracts.reasons import Language
from knowledge.answering.evidence import evidence_score, written_in
from knowledge.retrieval.passage import Scores
from knowledge.versions.routing_policy import Weights


@pytest.mark.parametrize(
    ("share", "fused", "language", "strength"),
    [
        (0.1, 1.5, "zh", 1.5),
        (1.0, 5.0, "zh", 2.5),
        (1.0, 6.0, "zh", 3.5),
        (0.0, 1.0, "zh", 1.0),
        (0.0, 1.0, "en", 2.0),
    ],
)
def test_the_strength_of_a_passage(share: float, fused: float, language: Language, strength: float) -> None:
    scores = Scores(bm25=1, bm25_share=share, cosine=0, best_sentence=0, fused=fused)

    score = evidence_score(scores, language=language, question="茶壶能退吗？", weights=Weights(bm25=5.0, use=0.5))

    assert score == pytest.approx(strength)


def test_the_language_of_a_question_is_its_scripts() -> None:
    assert written_in("HEY 有优惠吗？") == "zh"
    assert written_in("Can I return it?") == "en"
