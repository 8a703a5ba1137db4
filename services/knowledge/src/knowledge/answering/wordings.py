"""Finds what a list names in texts of both languages: English words from their first letter on, Chinese ones anywhere."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from knowledge.answering.folding import HAN

_HAN: Final = re.compile(f"[{HAN}]")
_LATIN: Final = re.compile("[a-z]{2}")


@dataclass(frozen=True, slots=True)
class Worded:
    """A list of names with their wordings, one pattern a language."""

    english: tuple[tuple[str, re.Pattern[str]], ...]
    chinese: tuple[tuple[str, re.Pattern[str]], ...]


def worded(*lines: tuple[str, str, str]) -> Worded:
    """Compile lines of a name, its English wordings and its Chinese ones."""
    return Worded(
        english=tuple((name, re.compile(rf"\b(?:{english})")) for name, english, _ in lines),
        chinese=tuple((name, re.compile(chinese)) for name, _, chinese in lines),
    )


def found_in(folded: str, listed: Worded) -> Iterator[tuple[str, int]]:
    """Yield what a folded text names, and where."""
    spoken = (listed.english, _LATIN), (listed.chinese, _HAN)
    for wordings, script in spoken:
        for name, wording in wordings if script.search(folded) else ():
            yield from ((name, found.start()) for found in wording.finditer(folded))


def without(folded: str, listed: Worded) -> str:
    """Give a folded text without what is listed."""
    for _, wording in (*listed.english, *listed.chinese):
        folded = wording.sub(" ", folded)
    return folded
