"""Check that a claim about one of two twin rules has its sign: "public holidays are made up, school holidays are not".

Twins are neighbours that tell the same in the same words and differ at the front, for whom, and at the end, whether.
"""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final, NamedTuple

from knowledge.validation.denials import HARMLESS, SUPPOSED, first_denial
from knowledge.validation.readings import read_once
from knowledge.validation.words import normalise

_STOP = re.compile(r"[;。!?\n]|\.(?!\d)")
_TOKEN = re.compile(r"[a-z0-9'%.]+|[\u4e00-\u9fff]")
_FEWEST: Final = 3
_ALIKE: Final = 0.6


class _Twin(NamedTuple):
    """What only one of two twins has at its front, and whether it denies."""

    front: frozenset[str]
    denies: bool


def find_turned_twin(claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give the words of a claim that name one of two twin rules and the sign of the other; None if there are none."""
    said = normalise(claim)
    mine = frozenset(_TOKEN.findall(said))
    for twins in (twins for quote in quotes for twins in _read_twins(normalise(quote))):
        named = [twin for twin in twins if mine & twin.front]
        if len(named) == 1 and _denies(said) != named[0].denies:
            return " ".join(sorted(mine & named[0].front))
    return None


def _denies(said: str) -> bool:
    return first_denial(SUPPOSED.sub(" ", HARMLESS.sub(" ", said))) is not None


@read_once
def _read_twins(text: str) -> tuple[tuple[_Twin, _Twin], ...]:
    """Read the twins of a text in normal form of which one alone denies."""
    return tuple(_twins(text))


def _twins(text: str) -> Iterator[tuple[_Twin, _Twin]]:
    for one, other in pairwise(filter(str.strip, _STOP.split(text))):
        if first_denial(one) is None and first_denial(other) is None:
            continue
        first, second = _TOKEN.findall(one), _TOKEN.findall(other)
        core = SequenceMatcher(None, first, second, autojunk=False).find_longest_match()
        if core.size < max(_FEWEST, _ALIKE * min(len(first), len(second))):
            continue
        gap = "" if core.size and not first[core.a].isascii() else " "
        ends = [gap.join(first[core.a + core.size :]), gap.join(second[core.b + core.size :])]
        denied = [first_denial(end) is not None for end in ends]
        if denied[0] != denied[1]:
            yield (
                _Twin(frozenset(first[: core.a]) - frozenset(second), denied[0]),
                _Twin(frozenset(second[: core.b]) - frozenset(first), denied[1]),
            )
