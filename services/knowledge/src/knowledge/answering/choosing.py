"""Choose the sentences of a passage that speak to a question part: word overlap, cosine, and what belongs with them.

Source: retrieval.md section 8 (the best two or three sentences of the best passage; question-type bonuses change
nothing there, so there are none).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from knowledge.answering.units import Units
from knowledge.answering.wording import terms_of
from knowledge.retrieval.passage import Passage, Sentence

MOST_CHOSEN = 3
# A further sentence is quoted when it speaks to the question nearly as well as the best one.
_NEARLY_AS_GOOD = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What an answer has room for."""

    quotes: int
    quote_characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Sentences of one passage in its order."""

    passage: Passage
    sentences: tuple[Sentence, ...]

    @property
    def text(self) -> str:
        """Join what would be quoted."""
        return "\n".join(self.passage.sentence_text(sentence) for sentence in self.sentences)

    @property
    def similarity(self) -> float:
        """Give the best cosine of a chosen sentence and the question."""
        return max(sentence.similarity for sentence in self.sentences)


def choose_sentences(question: str, passage: Passage, *, idf: Mapping[str, float], limits: Limits) -> Chosen | None:
    """Choose what to quote; None when nothing can be quoted whole with what belongs to it."""
    units = Units(passage)
    terms = question_terms(question, idf)
    scores = {
        position: coverage(terms, text) + passage.sentences[position].similarity
        for position, text in enumerate(units.texts)
        if units.is_statement(position)
    }
    positions: set[int] = set()
    for group in _groups(units, scores):
        if _fits(units, positions | group, limits):
            positions |= group
    if not positions:
        return None
    return Chosen(passage=passage, sentences=tuple(passage.sentences[position] for position in sorted(positions)))


def question_terms(question: str, idf: Mapping[str, float]) -> dict[str, float]:
    """Weigh the terms of a question; a term the version does not know counts like its rarest."""
    rarest = max(idf.values(), default=1.0)
    return {term: idf.get(term, rarest) for term in terms_of(question)}


def coverage(terms: Mapping[str, float], text: str) -> float:
    """Give the share of the terms' weight that a text carries, 0 to 1."""
    carried = terms_of(text)
    whole = sum(terms.values())
    return sum(weight for term, weight in terms.items() if term in carried) / whole if whole else 0.0


def _groups(units: Units, scores: Mapping[int, float]) -> Iterator[frozenset[int]]:
    """Yield what is quoted together, best first: a list that is led in or counts steps stays whole."""
    ranked = sorted(scores, key=lambda position: (-scores[position], position))
    if not ranked:
        return
    best = ranked[0]
    if units.kinds[best] == "lead_in" or units.is_step(best):
        items = (companion for item in units.list_around(best) for companion in units.companions(item))
        yield units.companions(best).union(items)
    for position in [p for p in ranked if scores[p] >= _NEARLY_AS_GOOD * scores[best]][:MOST_CHOSEN]:
        if units.kinds[position] != "lead_in":
            yield units.companions(position)


def _fits(units: Units, positions: set[int], limits: Limits) -> bool:
    """Tell whether all of these can be quoted; a sentence that stands twice would be found in its first place."""
    return len(positions) <= limits.quotes and all(
        len(units.texts[position]) <= limits.quote_characters and units.texts.index(units.texts[position]) == position
        for position in positions
    )
