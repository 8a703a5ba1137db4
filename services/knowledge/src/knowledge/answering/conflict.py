"""Reads what a sentence says of its subject, and whether one that would be quoted is known to disagree with another.

What disagrees is found when a version is staged (`knowledge.evaluation.disagreeing`), so that its owners see it, and can
let both sentences stand.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from knowledge.answering.quantities import Quantity, parted
from knowledge.answering.wording import terms_of
from knowledge.versions.conflicts import KnownConflict

_NEGATION = re.compile(
    r"不(?!满|足|同|超过)|无法|未|没有|禁止|除外|\b(?:not|no|never|cannot|can't|don't|won't|isn't|without)\b"
)

_DIGIT = re.compile(r"\d")
# Owners who rank one rule above another mean the same subject, though not in the same words.
_SAME_SUBJECT = 0.5
_SAME_QUESTION = 1 / 3


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A sentence whose words are not read yet: what it speaks of, and what it says of it."""

    subject: str
    quantities: tuple[Quantity, ...]
    is_negated: bool


def hear(heading: str, sentence: str) -> Heard:
    """Take a sentence apart under its heading. Reading the words of its subject takes far longer."""
    found, rest = parted(sentence)
    return Heard(
        subject=_NEGATION.sub(" ", f"{_rest_of(heading)} {rest}"),
        quantities=found,
        is_negated=len(_NEGATION.findall(rest)) % 2 == 1,
    )


def read(heard: Heard) -> Said:
    """Read the words of a sentence."""
    subject = terms_of(heard.subject)
    return Said(
        subject=subject,
        characters=frozenset(term for term in subject if len(term) == 1 and not term.isascii()),
        numbered=_numbered(subject) if _DIGIT.search(heard.subject) else frozenset(),
        quantities=heard.quantities,
        is_negated=heard.is_negated,
    )


def said(heading: str, sentence: str) -> Said:
    """Read a sentence under its heading."""
    return read(hear(heading, sentence))


def disagree(one: str, other: str) -> bool:
    """Tell whether two sentences say of one subject a quantity of the same kind, and not the same, or yes and no."""
    ours, theirs = said("", one), said("", other)
    whole = len(ours.subject | theirs.subject)
    if not whole or len(ours.subject & theirs.subject) < _SAME_SUBJECT * whole:
        return False
    kinds = [[each.kind for each in read.quantities] for read in (ours, theirs)]
    return kinds[0] == kinds[1] and (ours.quantities != theirs.quantities or ours.is_negated != theirs.is_negated)


def say_otherwise(one: str, other: str, *, asked: frozenset[str]) -> bool:
    """Tell whether two sentences answer one thing with different values of some kind, or with yes and no.

    They may be less alike than sentences that disagree, because what one is limited to it may name: they share half of
    the shorter one's subject, or a third of the terms of the question, whose others only ask.
    """
    ours, theirs = said("", one), said("", other)
    shared, fewest = ours.subject & theirs.subject, min(len(ours.subject), len(theirs.subject))
    is_one_thing = bool(shared) and (
        len(shared) >= _SAME_SUBJECT * fewest or len(shared & asked) >= _SAME_QUESTION * len(asked)
    )
    differ = ours.is_negated != theirs.is_negated or _values_differ(ours.quantities, theirs.quantities)
    return is_one_thing and differ


def _values_differ(ours: Iterable[Quantity], theirs: Iterable[Quantity]) -> bool:
    """Tell whether there is a kind of which both give values, and no value in common."""
    one, other = (_by_kind(quantities) for quantities in (ours, theirs))
    return any(one[kind].isdisjoint(other[kind]) for kind in one.keys() & other.keys())


def _by_kind(quantities: Iterable[Quantity]) -> dict[str, set[float]]:
    values: dict[str, set[float]] = {}
    for each in quantities:
        values.setdefault(each.kind, set()).add(each.value)
    return values


@lru_cache(maxsize=1024)
def _rest_of(heading: str) -> str:
    return parted(heading)[1]


Place = tuple[UUID, int, int]
"""A passage, and where in it something begins and ends."""


def find_conflict(cited: Iterable[Place], known: Iterable[KnownConflict]) -> KnownConflict | None:
    """Find what is known to disagree with a sentence that is cited or would be: nothing else refuses an answer."""
    places = tuple(cited)
    return next((each for each in known if any(_is_cited(each, *place) for place in places)), None)


def _is_cited(known: KnownConflict, passage_id: UUID, start: int, end: int) -> bool:
    return known.passage_id == passage_id and known.start < end and start < known.end


def _numbered(subject: frozenset[str]) -> frozenset[str]:
    return frozenset(term for term in subject if _DIGIT.search(term))
