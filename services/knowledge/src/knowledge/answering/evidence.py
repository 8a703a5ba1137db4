"""Says how strong the evidence of a found passage is, on the scale of the policy's thresholds.

The fused score puts passages in order. For deciding whether to answer at all it trusts words too much: a short question
made of common words finds all of them somewhere. So the part that words contribute is capped, and across languages,
where words cannot match, what the embedder says counts double.

How much both count can be learned from labelled questions of a tenant (see `versions.fitting`); where they begin to be
enough depends on how far apart the tenant's texts lie (see `versions.calibration`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from contracts.reasons import Language
from knowledge.answering.folding import HAN
from knowledge.retrieval.passage import Found, Scores
from knowledge.versions.routing_policy import Weights

_ACROSS_LANGUAGES: Final = 2.0
# Behind a passage that lacks what is asked for stands often the one that holds it; a weak one further back does not count.
MOST_CONSIDERED: Final = 3
_HAN: Final = re.compile(f"[{HAN}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the strongest evidence is made of, before any weight that was learned, and how strong it counts now."""

    words: float
    meaning: float
    strength: float


def evidence_score(scores: Scores, *, language: Language, question: str, weights: Weights) -> float:
    """Weigh a passage of some language as evidence for a question."""
    by_words = weights.bm25 * scores.bm25_share
    by_meaning = _meaning(scores, language, question, weights)
    return min(by_words, weights.most_by_words) + by_meaning


def written_in(question: str) -> Language:
    """Tell the language of a question from its script."""
    return "zh" if _HAN.search(question) else "en"


def strongest_parts(found: Sequence[Found], *, question: str, weights: Weights) -> Parts:
    """Give the parts of the strongest passage among those that are considered; nothing is weak by both."""
    plain = Weights()
    weighed = [
        Parts(
            words=plain.bm25 * each.scores.bm25_share,
            meaning=_meaning(each.scores, each.passage.language, question, weights) * plain.use / weights.use,
            strength=evidence_score(each.scores, language=each.passage.language, question=question, weights=weights),
        )
        for each in found[:MOST_CONSIDERED]
    ]
    return max(weighed, key=lambda parts: parts.strength, default=Parts(words=0.0, meaning=0.0, strength=0.0))


def _meaning(scores: Scores, language: Language, question: str, weights: Weights) -> float:
    meaning = scores.fused - weights.bm25 * scores.bm25_share if scores.meaning is None else scores.meaning
    return meaning * _ACROSS_LANGUAGES if language != written_in(question) else meaning
