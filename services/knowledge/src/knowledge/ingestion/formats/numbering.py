"""Counts the automatic numbers of a Word document, which stand in no text but are what its reader cites."""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final
from xml.etree.ElementTree import Element

W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"

_PLACE: Final = re.compile(r"%([1-9])")
_ROMAN: Final = ((100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_HAN: Final = "零一二三四五六七八九"
_LARGEST: Final = 400


@dataclass(frozen=True, slots=True)
class Level:
    """How one level of a list is numbered."""

    kind: str
    pattern: str
    start: int


@dataclass(slots=True)
class Numbering:
    """The lists of a document and how far each has counted."""

    levels: dict[str, dict[int, Level]]
    _counts: dict[str, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))

    def next_mark(self, list_id: str, depth: int) -> str | None:
        """Count one item on; give `-` for a bullet, its number as it is shown, or None when there is none."""
        levels = self.levels.get(list_id, {})
        level = levels.get(depth)
        if level is None or level.kind == "none":
            return None
        counts = self._counts[list_id]
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in [each for each in counts if each > depth]:
            del counts[deeper]
        if level.kind == "bullet":
            return "-"
        return _PLACE.sub(lambda place: _shown(levels, counts, int(place.group(1)) - 1), level.pattern).strip()


def read_numbering(root: Element | None) -> Numbering:
    """Read the lists that a document defines."""
    if root is None:
        return Numbering({})
    kinds = {each.get(f"{W}abstractNumId", ""): _levels(each) for each in root.iter(f"{W}abstractNum")}
    lists = ((each.get(f"{W}numId", ""), value_of(each, "abstractNumId")) for each in root.iter(f"{W}num"))
    return Numbering({list_id: kinds.get(kind or "", {}) for list_id, kind in lists})


def value_of(element: Element | None, name: str) -> str | None:
    """Give the value of a child element, None when it has none."""
    child = element.find(f"{W}{name}") if element is not None else None
    return child.get(f"{W}val") if child is not None else None


def _levels(kind: Element) -> dict[int, Level]:
    return {
        int(each.get(f"{W}ilvl", "0")): Level(
            kind=value_of(each, "numFmt") or "decimal",
            pattern=value_of(each, "lvlText") or "",
            start=int(value_of(each, "start") or "1"),
        )
        for each in kind.iter(f"{W}lvl")
    }


def _shown(levels: dict[int, Level], counts: dict[int, int], depth: int) -> str:
    level = levels.get(depth)
    if level is None:
        return ""
    return _numeral(level.kind, counts.get(depth, level.start))


def _numeral(kind: str, number: int) -> str:
    if not 0 < number < _LARGEST:
        return str(number)
    if kind.endswith("Letter"):
        text = _LETTERS[(number - 1) % len(_LETTERS)] * ((number - 1) // len(_LETTERS) + 1)
    elif kind.endswith("Roman"):
        text = _roman(number)
    else:
        return _han(number) if kind.startswith(("chineseCounting", "japaneseCounting", "ideograph")) else str(number)
    return text.upper() if kind.startswith("upper") else text


def _roman(number: int) -> str:
    text = ""
    for value, numeral in _ROMAN:
        text += numeral * (number // value)
        number %= value
    return text


def _han(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    tens, ones = divmod(rest, 10)
    text = f"{_HAN[hundreds]}百" if hundreds else ""
    if tens:
        text += "十" if tens == 1 and not hundreds else f"{_HAN[tens]}十"
    elif hundreds and ones:
        text += _HAN[0]
    return text + (_HAN[ones] if ones else "")
