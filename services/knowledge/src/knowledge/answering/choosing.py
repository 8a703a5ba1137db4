"""Choose the sentences of a passage that speak to a question part: word overlap, cosine, and what belongs with them.

Source: retrieval.md section 8 (the best two or three sentences of the best passage; question-type bonuses change
nothing there, so there are none).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from uuid import UUID

from knowledge.answering.units import Units
from knowledge.answering.wording import terms_of
from knowledge.retrieval.passage import Passage, Sentence

MOST_CHOSEN = 3
# A further sentence is quoted when it speaks to the question nearly as well as the best one: the case it asks about may
# stand in the sentence after the one that is most like it.
_NEARLY_AS_GOOD = 0.7
# Items and rows are built alike, so that an unrelated one comes close by its form alone.
_NEARLY_AS_GOOD_IN_LISTS = 0.85
_NEARLY_AS_GOOD_ELSEWHERE = 0.8
# One that holds what is asked for is better than one that only speaks of it, as long as it speaks of it too.
_STILL_NEAR = 0.5

# How much of a question title, headings and the header of a table carry when the whole of it is asked for.
_ABOVE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What an answer has room for."""

    quotes: int
    quote_characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Sentences of one passage in its order, and how well the best of them speaks to the question."""

    passage: Passage
    sentences: tuple[Sentence, ...]
    score: float

    @property
    def text(self) -> str:
        """Join what would be quoted."""
        return "\n".join(self.texts)

    @property
    def texts(self) -> tuple[str, ...]:
        """Give what would be quoted, sentence by sentence."""
        return tuple(self.passage.sentence_text(sentence) for sentence in self.sentences)

    @property
    def places(self) -> tuple[tuple[UUID, int, int], ...]:
        """Say where in its passage each sentence stands."""
        return tuple((self.passage.passage_id, sentence.start, sentence.end) for sentence in self.sentences)


Holds = Callable[[str], bool]
"""Tells whether a text holds the kind of fact that is asked for."""


def choose_sentences(  # noqa: PLR0913 - a question, a passage, and what is asked for
    question: str,
    passage: Passage,
    *,
    idf: Mapping[str, float],
    limits: Limits,
    holds: Holds | None = None,
    answers: Holds | None = None,
) -> Chosen | None:
    """Choose what to quote; None when nothing can be quoted whole with what belongs to it.

    Where what speaks best to the question lacks the kind of fact it asks for, a sentence that holds one and speaks to it
    nearly as well is quoted first: "we will try to help" stands before "it takes 4-7 days". What `answers` by itself is
    quoted together, however near its words: they tell nothing of which one is meant.
    """
    units, terms = Units(passage), question_terms(question, idf)
    scores = _scores(units, units.said, terms)
    full = {at: score for at, score in scores.items() if answers is not None and answers(units.texts[at])}
    if full:
        return _together(units, full, limits)
    best = _quoted(units, scores, terms, limits)
    if best is None or holds is None or holds(best.text):
        return best
    near = {at: score for at, score in scores.items() if holds(units.texts[at]) and score >= _STILL_NEAR * best.score}
    return _quoted(units, near, terms, limits) or best


def _quoted(units: Units, scores: Mapping[int, float], terms: Mapping[str, float], limits: Limits) -> Chosen | None:
    positions: set[int] = set()
    for group in _groups(units, scores, terms):
        if _fits(units, positions | group, limits):
            positions |= group
    return _chosen(units, positions, scores)


def _together(units: Units, scores: Mapping[int, float], limits: Limits) -> Chosen | None:
    positions: set[int] = set()
    for position in sorted(scores, key=lambda at: (-scores[at], at))[:MOST_CHOSEN]:
        group = units.companions(position)
        if _fits(units, positions | group, limits):
            positions |= group
    return _chosen(units, positions, scores)


def choose_rival(  # noqa: PLR0913 - as `choose_sentences`, besides what is chosen already
    question: str,
    first: Chosen,
    others: Iterable[Passage],
    *,
    idf: Mapping[str, float],
    limits: Limits,
    holds: Holds | None = None,
    answers: Callable[[Chosen], bool] = lambda _: True,
) -> Chosen | None:
    """Choose the sentence of the further passages that speaks best to the question, if it does nearly as well as the first's.

    It holds the kind of fact that is asked for, where there is one, and `answers` has a say too. Measured on 101 answerable questions of our own: 65
    instead of 63 answers quote what they should, with 195 sentences instead of 180.
    """
    spoken = (_best_of(question, each, idf=idf, limits=limits, holds=holds) for each in others)
    rivals = (rival for rival in spoken if rival is not None and _is_rival(rival, first) and answers(rival))
    return max(rivals, key=lambda rival: rival.score, default=None)


def _best_of(
    question: str, passage: Passage, *, idf: Mapping[str, float], limits: Limits, holds: Holds | None
) -> Chosen | None:
    units, terms = Units(passage), question_terms(question, idf)
    # A row has to speak for itself here: tables of other passages have a header that speaks of much.
    scores = _scores(units, units.texts.__getitem__, terms)
    holding = scores if holds is None else {at: each for at, each in scores.items() if holds(units.texts[at])}
    best = next(_groups(units, holding, terms), frozenset[int]())
    return _chosen(units, best, holding) if _fits(units, best, limits) else None


def _is_rival(rival: Chosen, first: Chosen) -> bool:
    speaks_as_well = rival.score >= _NEARLY_AS_GOOD_ELSEWHERE * first.score
    return speaks_as_well and rival.text != first.text and rival.passage.language == first.passage.language


def _scores(units: Units, said: Callable[[int], str], terms: Mapping[str, float]) -> dict[int, float]:
    return {
        position: coverage(terms, said(position)) + units.passage.sentences[position].similarity
        for position in range(len(units.texts))
        if units.is_statement(position)
    }


def _chosen(units: Units, positions: AbstractSet[int], scores: Mapping[int, float]) -> Chosen | None:
    if not positions:
        return None
    return Chosen(
        passage=units.passage,
        sentences=tuple(units.passage.sentences[position] for position in sorted(positions)),
        score=max(scores.get(position, 0.0) for position in positions),
    )


def question_terms(question: str, idf: Mapping[str, float]) -> dict[str, float]:
    """Weigh the terms of a question; a term the version does not know counts like its rarest."""
    rarest = max(idf.values(), default=1.0)
    return {term: idf.get(term, rarest) for term in terms_of(question)}


def coverage(terms: Mapping[str, float], text: str) -> float:
    """Give the share of the terms' weight that a text carries, 0 to 1."""
    return share_of(terms, terms_of(text))


def share_of(terms: Mapping[str, float], carried: AbstractSet[str]) -> float:
    """Give the share of the terms' weight that some terms carry, 0 to 1."""
    whole = sum(terms.values())
    return sum(weight for term, weight in terms.items() if term in carried) / whole if whole else 0.0


def _groups(units: Units, scores: Mapping[int, float], terms: Mapping[str, float]) -> Iterator[frozenset[int]]:
    """Yield what is quoted together, best first: a list that is led in or counts steps stays whole, and so does a table.

    A table does where the question asks for what all of it says and names none of its rows.
    """
    ranked = sorted(scores, key=lambda position: (-scores[position], position))
    if not ranked:
        return
    best = ranked[0]
    if units.kinds[best] == "lead_in" or units.is_step(best):
        items = (companion for item in units.list_around(best) for companion in units.companions(item))
        yield units.companions(best).union(items)
    share = _NEARLY_AS_GOOD_IN_LISTS if units.kinds[best] in ("item", "row") else _NEARLY_AS_GOOD
    for position in [p for p in ranked if scores[p] >= share * scores[best]][:MOST_CHOSEN]:
        if _is_asked_whole(units, position, terms):
            yield frozenset(companion for row in units.table_around(position) for companion in units.companions(row))
        if units.kinds[position] != "lead_in":
            yield units.companions(position)


def _is_asked_whole(units: Units, position: int, terms: Mapping[str, float]) -> bool:
    """Tell whether what stands above a row carries most of the question, and no row of the table any of the rest."""
    rows = units.table_around(position)
    if not rows:
        return False
    passage = units.passage
    above = "\n".join((passage.title, *passage.heading_path, units.texts[rows[0] - 1]))
    rest = {term: weight for term, weight in terms.items() if term not in terms_of(above)}
    return coverage(terms, above) >= _ABOVE and not any(coverage(rest, units.texts[row]) for row in rows)


def _fits(units: Units, positions: AbstractSet[int], limits: Limits) -> bool:
    """Tell whether all of these can be quoted; a sentence that stands twice would be found in its first place."""
    return len(positions) <= limits.quotes and all(
        len(units.texts[position]) <= limits.quote_characters and units.texts.index(units.texts[position]) == position
        for position in positions
    )
