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
