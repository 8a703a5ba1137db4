"""Find the quantities of a sentence, in both languages, so that two sentences can be compared by them.

This reads only what conflict detection and the gate need; the full reading of facts belongs to validation.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from knowledge.answering.folding import fold

UnitKind = Literal[
    "day", "working day", "hour", "minute", "week", "month", "year", "money", "percent", "times", "points"
]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with the kind of its unit."""

    value: float
    kind: UnitKind


# The order matters: the first unit that fits is read, and a working day is not a day.
_UNITS: Final[dict[UnitKind, str]] = {
    "working day": r"个?工作日|business days?|working days?|workdays?",
    "hour": r"个?小时|hours?|hrs?",
    "minute": r"分钟|minutes?|mins?",
    "week": r"周|个?星期|个?礼拜|weeks?",
    "month": r"个月|months?",
    "year": r"周年|年(?!\d|度|\s?\d+\s?月)|years?",
    "money": r"[万亿]?元|块钱?|人民币|美元|usd|yuan|dollars?|rmb|cny",
    "percent": r"%|percent|per cent|成(?!功|为|立|员|本|交|品)",
    "times": r"次|times?",
    "points": r"个?积分|points?",
    "day": r"个?自然日|天|日(?!期|起|常|志)|(?:calendar |natural )?days?",
}
_DIGITS: Final = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0, "半": 0.5}
_SCALES: Final = {"十": 10, "百": 100, "千": 1_000, "万": 10_000}
# fmt: off
_WORDS: Final = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "ninety": 90,
}
# fmt: on
_HAN_NUMBER: Final = "[零一二三四五六七八九两〇十百千万半]+"
_NUMBER: Final = rf"\d+(?:,\d{{3}})*(?:\.\d+)?|{_HAN_NUMBER}|\b(?:{'|'.join(_WORDS)})\b"
_QUANTITY: Final = re.compile(
    rf"(?P<money>[$€£¥])\s?(?P<amount>\d+(?:,\d{{3}})*(?:\.\d+)?)|(?P<number>{_NUMBER})[\s-]?(?:"
    + "|".join(f"(?P<u{place}>{units})" for place, units in enumerate(_UNITS.values()))
    + ")"
)


def quantities(text: str) -> tuple[Quantity, ...]:
    """List the quantities of a text in its order."""
    return tuple(_read(match) for match in _QUANTITY.finditer(fold(text)))


def parted(text: str) -> tuple[tuple[Quantity, ...], str]:
    """Part a text into its quantities and the folded rest, so that what it speaks about can be compared."""
    found: list[Quantity] = []

    def take(match: re.Match[str]) -> str:
        found.append(_read(match))
        return " "

    rest = _QUANTITY.sub(take, fold(text))
    return tuple(found), rest


def _read(match: re.Match[str]) -> Quantity:
    if match["money"]:
        return Quantity(_number(match["amount"]), "money")
    kind: UnitKind = next(kind for place, kind in enumerate(_UNITS) if match[f"u{place}"])
    return Quantity(_number(match["number"]), kind)


def _number(text: str) -> float:
    if text in _WORDS:
        return _WORDS[text]
    if text[0].isdigit():
        return float(text.replace(",", ""))
    return _han_number(text)


def _han_number(text: str) -> float:
    total = 0.0
    digit: float | None = None
    for character in text:
        if character in _SCALES:
            total += (1 if digit is None else digit) * _SCALES[character]
            digit = None
        else:
            digit = _DIGITS[character]
    return total + (digit or 0)
