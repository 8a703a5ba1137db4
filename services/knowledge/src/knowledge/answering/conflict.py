"""Finds two policies in force that disagree on the very thing an answer would quote.

A conflict needs two different documents of equal priority whose sentences speak about the same subject in nearly the
same words, and either differ in one quantity of one kind or say yes and no. Everything weaker is left to people:
a false conflict refuses a question that has an answer.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from knowledge.answering.choosing import Chosen
from knowledge.answering.quantities import Quantity, parted
from knowledge.answering.units import Units
from knowledge.answering.wording import terms_of
from knowledge.retrieval.passage import Found, Passage

# Measured with bench/conflicts.py: translations, siblings and successive laws stay below these.
SAME_SUBJECT = 0.76
SAME_CHARACTERS = 0.74
_FEWEST_CHARACTERS = 8
SAME_BUT_NEGATED = 0.85

_NEGATION = re.compile(
    r"不(?!满|足|同|超过)|无法|未|没有|禁止|除外|\b(?:not|no|never|cannot|can't|don't|won't|isn't|without)\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two sentences that cannot both be quoted."""

    passage: Passage
    sentence: str
    other_passage: Passage
    other_sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a sentence is about, its words without numbers and those of its own heading, and what it says of it."""

    subject: frozenset[str]
    characters: frozenset[str]
    """The Chinese characters of the subject: another order of the same words has other pairs of them."""
    quantities: tuple[Quantity, ...]
    is_negated: bool


def said(heading: str, sentence: str) -> Said:
    """Read a sentence under its heading."""
    found, rest = parted(sentence)
    subject = terms_of(_NEGATION.sub(" ", f"{_rest_of(heading)} {rest}"))
    characters = frozenset(term for term in subject if len(term) == 1 and not term.isascii())
    return Said(
        subject=subject, characters=characters, quantities=found, is_negated=len(_NEGATION.findall(rest)) % 2 == 1
    )


@lru_cache(maxsize=1024)
def _rest_of(heading: str) -> str:
    return parted(heading)[1]


def contradict(one: Said, other: Said) -> bool:
    """Say whether two sentences speak of the same thing and differ in one quantity, or say yes and no."""
    if _differ_in_one_quantity(one.quantities, other.quantities) and _same_subject(one, other):
        return True
    return one.is_negated != other.is_negated and _likeness(one.subject, other.subject) >= SAME_BUT_NEGATED


def _same_subject(one: Said, other: Said) -> bool:
    # "Line 17" and "line 16" are two things, however alike the rest is.
    if _numbered(one.subject) != _numbered(other.subject):
        return False
    if _likeness(one.subject, other.subject) >= SAME_SUBJECT:
        return True
    few = min(len(one.characters), len(other.characters)) < _FEWEST_CHARACTERS
    return not few and _likeness(one.characters, other.characters) >= SAME_CHARACTERS


def find_conflict(chosen: Chosen, found: Iterable[Found]) -> Conflict | None:
    """Compare what would be quoted with every other passage of the part's evidence."""
    quoted = [chosen.passage.sentence_text(sentence) for sentence in chosen.sentences]
    for other in (each.passage for each in found):
        if not _may_conflict(chosen.passage, other):
            continue
        for sentence in quoted:
            for text in Units(other).texts:
                if _disagree(chosen.passage, sentence, other, text):
                    return Conflict(passage=chosen.passage, sentence=sentence, other_passage=other, other_sentence=text)
    return None


def _may_conflict(one: Passage, other: Passage) -> bool:
    return one.document != other.document and one.priority == other.priority and one.language == other.language


def _disagree(one: Passage, sentence: str, other: Passage, text: str) -> bool:
    return sentence != text and contradict(_said(one, sentence), _said(other, text))


def _said(passage: Passage, sentence: str) -> Said:
    return said(passage.heading_path[-1] if passage.heading_path else "", sentence)


def _numbered(subject: frozenset[str]) -> frozenset[str]:
    return frozenset(term for term in subject if any(character.isdigit() for character in term))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0


def _differ_in_one_quantity(one: tuple[Quantity, ...], other: tuple[Quantity, ...]) -> bool:
    if [quantity.kind for quantity in one] != [quantity.kind for quantity in other]:
        return False
    return sum(a.value != b.value for a, b in zip(one, other, strict=True)) == 1
