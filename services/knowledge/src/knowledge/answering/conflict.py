"""Says when two sentences of policies disagree, and whether one that would be quoted is known to.

They disagree when they speak about the same subject in nearly the same words, and either differ in one quantity of one
kind or say yes and no. Everything weaker is left to people: a false conflict refuses a question that has an answer. What
disagrees is found when a version is staged, so that its owners see it, and can let both sentences stand.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from knowledge.answering.quantities import Quantity, parted
from knowledge.answering.wording import terms_of
from knowledge.versions.conflicts import KnownConflict

# Measured with bench/conflicts.py: translations, siblings and successive laws stay below these.
SAME_SUBJECT = 0.76
SAME_CHARACTERS = 0.74
_FEWEST_CHARACTERS = 8
SAME_BUT_NEGATED = 0.85

_NEGATION = re.compile(
    r"不(?!满|足|同|超过)|无法|未|没有|禁止|除外|\b(?:not|no|never|cannot|can't|don't|won't|isn't|without)\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a sentence is about, its words without numbers and those of its own heading, and what it says of it."""

    subject: frozenset[str]
    characters: frozenset[str]
    """The Chinese characters of the subject: another order of the same words has other pairs of them."""
    numbered: frozenset[str]
    """The terms of the subject with a digit: they name a thing, whatever else is alike."""
    quantities: tuple[Quantity, ...]
    is_negated: bool


def said(heading: str, sentence: str) -> Said:
    """Read a sentence under its heading."""
    found, rest = parted(sentence)
    subject = terms_of(_NEGATION.sub(" ", f"{_rest_of(heading)} {rest}"))
    characters = frozenset(term for term in subject if len(term) == 1 and not term.isascii())
    return Said(
        subject=subject,
        characters=characters,
        numbered=_numbered(subject),
        quantities=found,
        is_negated=len(_NEGATION.findall(rest)) % 2 == 1,
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
    if one.numbered != other.numbered:
        return False
    if _likeness(one.subject, other.subject) >= SAME_SUBJECT:
        return True
    few = min(len(one.characters), len(other.characters)) < _FEWEST_CHARACTERS
    return not few and _likeness(one.characters, other.characters) >= SAME_CHARACTERS


Place = tuple[UUID, int, int]
"""A passage, and where in it something begins and ends."""


def find_conflict(cited: Iterable[Place], known: Iterable[KnownConflict]) -> KnownConflict | None:
    """Find what is known to disagree with a sentence that is cited or would be: nothing else refuses an answer."""
    places = tuple(cited)
    return next((each for each in known if any(_is_cited(each, *place) for place in places)), None)


def _is_cited(known: KnownConflict, passage_id: UUID, start: int, end: int) -> bool:
    return known.passage_id == passage_id and known.start < end and start < known.end


def _numbered(subject: frozenset[str]) -> frozenset[str]:
    return frozenset(term for term in subject if any(character.isdigit() for character in term))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0


def _differ_in_one_quantity(one: tuple[Quantity, ...], other: tuple[Quantity, ...]) -> bool:
    if [quantity.kind for quantity in one] != [quantity.kind for quantity in other]:
        return False
    return sum(a.value != b.value for a, b in zip(one, other, strict=True)) == 1
