"""Find the wordings of many concepts in one pass over a text.

The alternation holds no groups: only then does the matcher skip an alternative by its first letter, which makes a
lexicon of hundreds of wordings cheap. Which concept was found is looked up for the few places that match.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

# A word boundary is asked for once, in front of everything, so that alternatives begin with a letter.
_BOUNDARY = re.compile(r"(^|\||\(\?:)\\b")
_HAN: Final = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Named patterns over texts in the normal form of `words.normalise`; the first one that fits counts."""

    entries: tuple[tuple[str, re.Pattern[str]], ...]
    source: str
    """The pattern that matches wherever an entry does."""
    known: dict[str, str]
    """Names by wording: a wording that was met keeps its name."""

    def name(self, found: re.Match[str]) -> str:
        """Give the name of the entry that a match of `source` belongs to."""
        wording = found.group()
        if wording not in self.known:
            if len(self.known) >= _MOST_KNOWN:
                self.known.clear()
            self.known[wording] = next(name for name, entry in self.entries if entry.match(found.string, found.start()))
        return self.known[wording]


_MOST_KNOWN: Final = 4096


def make_lexicon(entries: tuple[tuple[str, str], ...]) -> Lexicon:
    """Join named patterns, whose groups must all be unnamed and uncaptured."""
    bare = tuple((name, _BOUNDARY.sub(r"\1", pattern)) for name, pattern in entries)
    flat = "|".join(pattern for _, pattern in bare)
    starts = "".join(sorted(set(_HAN.findall(flat))))
    source = rf"(?:(?=[{starts}])|(?<![a-z'])(?=[a-z]))(?:{flat})"
    return Lexicon(tuple((name, re.compile(pattern)) for name, pattern in bare), source, {})


def find_names(lexicon: Lexicon, pattern: re.Pattern[str], text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield what a lexicon names in a text, in order; `pattern` is its compiled source."""
    for found in pattern.finditer(text):
        yield lexicon.name(found), found
