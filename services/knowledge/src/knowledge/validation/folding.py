"""Find a quote in a text under Unicode NFC and white-space folding, and give back its exact place."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_SPACES = re.compile(r"\s+")
_CLUSTER = re.compile(
    r"\s+|\S[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0e31-\u0e3a\u1161-\u11ff\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f]*"
)


@dataclass(frozen=True, slots=True)
class Folded:
    """A text in folded form. Character `i` comes from `source[starts[i]:ends[i]]`."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]


def fold(text: str) -> str:
    """Bring a text to NFC with every run of white space as one blank, none at the ends."""
    return _SPACES.sub(" ", unicodedata.normalize("NFC", text)).strip()


# A model's draft is compared with the same few passages again and again while it arrives.
@lru_cache(maxsize=64)
def fold_with_places(text: str) -> Folded:
    """Fold a text and remember where each folded character stands in it."""
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for cluster in _CLUSTER.finditer(text):
        piece = " " if cluster.group()[0].isspace() else unicodedata.normalize("NFC", cluster.group())
        pieces.append(piece)
        starts.extend([cluster.start()] * len(piece))
        ends.extend([cluster.end()] * len(piece))
    return Folded("".join(pieces), tuple(starts), tuple(ends))


def find_places(folded: Folded, quote: str) -> tuple[tuple[int, int], ...]:
    """List every place where a quote stands in a folded text, as offsets into the source."""
    needle = fold(quote)
    places: list[tuple[int, int]] = []
    at = folded.text.find(needle) if needle else -1
    while at >= 0:
        if _is_between_letters(folded, at) and _is_between_letters(folded, at + len(needle)):
            places.append((folded.starts[at], folded.ends[at + len(needle) - 1]))
        at = folded.text.find(needle, at + 1)
    return tuple(places)


def _is_between_letters(folded: Folded, at: int) -> bool:
    """Tell whether a place in the folded text parts no letter from its marks."""
    return at in (0, len(folded.text)) or folded.starts[at - 1] != folded.starts[at]
