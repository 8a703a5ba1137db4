"""One order from two or three arms: `w_bm25 * share + w_use * z`, then the best sentence of the best passages.

Source: retrieval.md section 4. Weighted fusion on a fixed scale, because rank fusion lets a weak arm outvote a sure one.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from knowledge.ingestion.analyser import K1
from knowledge.retrieval.passage import Candidate, Found, Scores
from knowledge.versions.calibration import Calibration
from knowledge.versions.routing_policy import Bounds, Weights

ARM_LIMIT: Final = 50
SENTENCE_LIMIT: Final = 20
# Above so many passages a term that stands in more than a tenth of them only costs time.
COMMON_SHARE: Final = 0.1
MOST_TERMS: Final = 200
MOST_DISTINCT: Final = 2_000
# Terms that together stand in so many passages choose the candidates of a large version; the others only weigh them.
MOST_LED: Final = 12_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Fusion:
    """What turns raw scores into one: weights, scale, and the most BM25 could give for this question.

    With the scale of a second arm three scores make the order. The evidence is always weighed from the first two, on the
    scale that the thresholds of a policy were read off.
    """

    weights: Weights
    calibration: Calibration
    bm25_maximum: float

    def scores(
        self,
        *,
        bm25: float,
        cosine: float,
        typed: float | None = None,
        best_sentence: float | None = None,
        second: float | None = None,
    ) -> Scores:
        """Fuse the scores of one passage; with a best sentence, half of the similarity is that sentence's.

        `typed` is the part of BM25 that words have as they were typed, which alone is evidence; None means all of it.
        """
        share = self._share(bm25)
        z = self.calibration.z(cosine if best_sentence is None else (cosine + best_sentence) / 2)
        meaning = self.weights.use * z
        return Scores(
            bm25=bm25,
            bm25_share=share if typed is None else self._share(typed),
            cosine=cosine,
            best_sentence=best_sentence or 0.0,
            fused=self._fused(share, z, second),
            second=second,
            meaning=meaning,
        )

    def _share(self, bm25: float) -> float:
        return bm25 / self.bm25_maximum if self.bm25_maximum > 0 else 0.0

    def _fused(self, share: float, z: float, second: float | None) -> float:
        scale, two, three = self.calibration.second, self.weights.two, self.weights.three
        if scale is None or second is None:
            return two.bm25 * share + two.use * z
        return three.bm25 * share + three.use * z + three.second * scale.z(second)


def inverse_frequency(passages: int, containing: int) -> float:
    """Give BM25's idf of a term. Source: Lucene's form, which is never negative."""
    return math.log(1 + (max(passages, containing) - containing + 0.5) / (containing + 0.5))


def weigh_terms(
    terms: Iterable[str], frequencies: Mapping[str, int], *, passages: int, drop_common: bool
) -> dict[str, float]:
    """Give the idf of a question's distinct terms, rarest first when there are too many.

    With `drop_common` terms in more than a tenth of the passages are left out, but never all of them.
    """
    distinct = dict.fromkeys(terms)
    rare = [term for term in distinct if frequencies.get(term, 0) <= COMMON_SHARE * passages]
    used = rare if drop_common and rare else list(distinct)
    weighed = {term: inverse_frequency(passages, frequencies.get(term, 0)) for term in used}
    rarest = sorted(weighed.items(), key=lambda item: -item[1])[:MOST_TERMS]
    return dict(rarest)


def leading_terms(idf: Mapping[str, float], frequencies: Mapping[str, int]) -> frozenset[str]:
    """Choose the terms that find candidates in a large version: the rarest, as long as few passages hold them, at least one.

    A passage that holds only the others could hardly be among the best, and there are many such passages to add up.
    """
    chosen: list[str] = []
    left = MOST_LED
    for term in sorted(idf, key=lambda each: frequencies.get(each, 0)):
        left -= frequencies.get(term, 0)
        if chosen and left < 0:
            break
        chosen.append(term)
    return frozenset(chosen)


def bm25_maximum(idfs: Iterable[float]) -> float:
    """Give what a passage would score that holds every term infinitely often: the scale of the share."""
    return sum(idfs) * (K1 + 1)


def order(scored: Mapping[UUID, Scores]) -> list[Candidate]:
    """Put passages in order: best first, ties by id."""
    ranked = sorted(scored.items(), key=lambda item: (-item[1].fused, item[0]))
    return [Candidate(passage_id=passage_id, scores=scores) for passage_id, scores in ranked]


def within_bounds(found: Sequence[Found], bounds: Bounds) -> tuple[Found, ...]:
    """Keep the first passages that fit; the best one always does."""
    kept: list[Found] = []
    characters = 0
    for each in found[: bounds.context_passages]:
        characters += len(each.passage.text)
        if kept and characters > bounds.context_characters:
            break
        kept.append(each)
    return tuple(kept)
