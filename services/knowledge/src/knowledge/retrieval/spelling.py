"""Reads an unknown English word as the known one that is a slip away.

The index keeps numbers of terms, not their letters, so every word that one slip could have come from is looked up. The
first letter is trusted: people rarely get it wrong, and another one makes another word (`iphone`, `phone`).
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from string import ascii_lowercase
from typing import Final

# Shorter words have neighbours of their own.
_SHORTEST: Final = 5
_LONGEST: Final = 20
_MOST_WORDS: Final = 3


def doubtful(terms: Iterable[str], frequencies: Mapping[str, int]) -> list[str]:
    """List the first few words of a question that the index does not know and that may be slips.

    The letters of a code (`pixen` in `pixen-12`) are none: another code is another thing.
    """
    listed = tuple(terms)
    codes = [term for term in listed if any(map(str.isdigit, term))]
    unknown = (term for term in listed if not frequencies.get(term) and _is_word(term) and not _is_part(term, codes))
    return [term for _, term in zip(range(_MOST_WORDS), unknown, strict=False)]


def neighbours(word: str) -> frozenset[str]:
    """Give every word that one slip turns into this one: a letter too many, too few, wrong, or two swapped."""
    return frozenset(_one_slip(word)) - {word}


def meant(word: str, frequencies: Mapping[str, int]) -> str | None:
    """Give the known neighbour that most passages hold; None when there is none."""
    known = [(-frequencies[each], each) for each in neighbours(word) if frequencies.get(each)]
    return min(known)[1] if known else None


def _is_part(word: str, codes: Iterable[str]) -> bool:
    return any(word in code for code in codes)


def _is_word(term: str) -> bool:
    return term.isascii() and term.isalpha() and _SHORTEST <= len(term) <= _LONGEST


def _one_slip(word: str) -> Iterator[str]:
    head, tail = word[0], word[1:]
    cuts = [(tail[:at], tail[at:]) for at in range(len(tail) + 1)]
    yield from (head + left + right[1:] for left, right in cuts if right)
    yield from (head + left + letter + right for left, right in cuts for letter in ascii_lowercase)
    yield from (head + left + letter + right[1:] for left, right in cuts if right for letter in ascii_lowercase)
    yield from (head + tail[:at] + second + first + tail[at + 2 :] for at, (first, second) in enumerate(pairwise(tail)))
