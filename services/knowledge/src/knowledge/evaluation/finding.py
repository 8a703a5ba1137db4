"""Says by which words the passages are found that may disagree with a new sentence, and which of those are worth reading.

Every test here is one that two sentences that disagree pass: they share most of their terms, or of their characters.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from knowledge.answering.conflict import Said, said
from knowledge.answering.folding import fold
from knowledge.evaluation.contradictions import Spoken
from knowledge.evaluation.disagreeing import FEWEST_CHARACTERS, SAME_CHARACTERS, SAME_SUBJECT
from knowledge.ingestion.analyser import term_id
from knowledge.ingestion.sentences import split_sentences

# Three of the dozen rarest words: fewer are shared by accident, and each of them has to be looked up.
_RAREST: Final = 12
_SHARED: Final = 3
# Stems as short as `die` may come of words that begin otherwise.
_FEWEST_LETTERS: Final = 4


@dataclass(frozen=True, slots=True)
class Saying:
    """A sentence of a passage that is looked for in others, read under its heading."""

    text: str
    said: Said


@dataclass(frozen=True, slots=True)
class Wanted:
    """Numbers of terms, and how many of them a passage holds at least that says nearly the same as a sentence."""

    terms: tuple[int, ...]
    fewest: int


def sayings(spoken: Spoken) -> list[Saying]:
    """Read the sentences of a passage; what speaks of nothing is left out."""
    heading = spoken.headed.heading
    texts = [spoken.text[span.start : span.end] for span in split_sentences(spoken.text)]
    listed = [Saying(text, said(heading, text)) for text in texts]
    return [each for each in listed if each.said.subject]


def may_disagree(spoken: Spoken, others: Sequence[Saying]) -> bool:
    """Say whether a sentence of a passage may disagree with any of these: its words are looked for, which is quickly done.

    It never says no of one that disagrees.
    """
    heading = fold(spoken.headed.heading)
    for span in split_sentences(spoken.text):
        text = spoken.text[span.start : span.end]
        folded = f"{heading} {fold(text)}"
        characters = frozenset(folded)
        if any(each.text != text and _may_hold(folded, characters, each.said) for each in others):
            return True
    return False


def rarest(subject: frozenset[str], frequency: Mapping[int, int]) -> Wanted:
    """Give what a sentence of the same subject can be found by: so many of its rarest terms that it shares some of them.

    `frequency` counts the passages of each term by its number; what it does not hold is the rarest.
    """
    needed = ceil(SAME_SUBJECT * len(subject))
    fewest = min(_SHARED, needed)
    numbers = sorted((term_id(term) for term in subject), key=lambda number: (frequency.get(number, 0), number))
    return Wanted(tuple(numbers[: max(_RAREST, len(subject) - needed + fewest)]), fewest)


def _may_hold(folded: str, characters: frozenset[str], other: Said) -> bool:
    """Say whether a folded sentence has as many characters, or as many terms, of another as those that disagree share."""
    shared, least = len(other.characters & characters), ceil(SAME_SUBJECT * len(other.subject))
    if len(other.characters) >= FEWEST_CHARACTERS and shared >= SAME_CHARACTERS * len(other.characters):
        return True
    if len(other.subject) - len(other.characters) + shared < least:
        return False
    return sum(_may_stand(term, folded) for term in other.subject) >= least


def _may_stand(term: str, folded: str) -> bool:
    """Say whether a text may hold a term. A stem begins the word it was made of, but for its last letter, or is very short."""
    if not (term.isascii() and term.isalpha()):
        return term in folded
    return len(term) < _FEWEST_LETTERS or term[:-1] in folded
