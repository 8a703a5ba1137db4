"""Recognise counts that a claim makes itself: the fourth time for "4 times", "two things" for what the quotes list."""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from knowledge.validation.bounds import Bound
from knowledge.validation.quantities import Figures, Quantity
from knowledge.validation.units import COUNT, COUNTS, FOLD, ORDINAL

_TIMES: Final = re.compile(r"\s?[次回遍]|\stimes\b")
_SEVERAL: Final = re.compile(r"(?:前|\bfirst)\s?$")
_REACHED: Final = frozenset[Bound]({"none", "min", "exact", "after"})
# What is counted of a list as a whole; "two items" of goods are counted one by one.
_LISTED: Final = re.compile(
    r"\s?(?:[样种项类点条]|份(?:材料|文件)|件(?:事|东西)|个(?:条件|办法|选择|途径|情形|例外))"
    r"|\s(?:[a-z]+\s)?(?:things|documents|ways|conditions|options|cases|steps|requirements|papers|reasons|exceptions|routes|choices)\b"
)
_MOST_LISTED: Final = 9
_OPENS: Final = re.compile(r"[:：]")
_PARTS: Final = re.compile(r"[、,，;；]\s?(?:and\b|or\b|以及|还有|和|或)?|\s(?:and|or)\s|以及|还有|和|或者?|及|与")
_ENDS: Final = re.compile(r"[。.!！?？\n]")
_CLAUSE: Final = re.compile(r"[,，;；:：。!！?？\n]")
_JOINED_HAN: Final = re.compile(r"、|以及|和|及|或者?|与")
_JOINED: Final = re.compile(r"(?P<before>(?:[\w\s'()-]{2,60},\s){0,8}[\w\s'()-]{2,60}?),?\s(?:and|or)\s")
_BULLET: Final = re.compile(r"(?m)^\s*(?:[-•]|\d{1,2}[.)]|[(（][一二三四五六七八九]{1,2}[)）])\s")
_HAN_NUMERALS: Final = {2: "两二双", 3: "三", 4: "四", 5: "五", 6: "六", 7: "七", 8: "八", 9: "九"}


def is_counted(claimed: Quantity, said: str, texts: tuple[str, ...], quoted: tuple[Figures, ...]) -> bool:
    """Tell whether a figure counts what its quotes tell one after the other, or names one turn of what they count."""
    return (
        any(_is_turn(claimed, figures) for figures in quoted)
        or _is_list(claimed, said, texts, quoted)
        or _is_part_of_name(claimed, said, texts)
    )


def _is_turn(claimed: Quantity, figures: Figures) -> bool:
    """Tell whether "the fourth request" or "once asked four times" is the turn at which the quotes count "4 times"."""
    if claimed.base == ORDINAL.base:
        return any(
            _counts_times(each, figures)
            and (
                (each.value == claimed.value and each.bound in _REACHED)
                or (each.value == claimed.value - 1 and each.bound == "over")
            )
            for each in figures.quantities
        )
    return (
        claimed.bound == "min"
        and claimed.base in (COUNT.base, FOLD.base)
        and any(
            _counts_times(each, figures) and each.value == claimed.value and each.bound == "none"
            for each in figures.quantities
        )
    )


def _counts_times(quantity: Quantity, figures: Figures) -> bool:
    if _SEVERAL.search(figures.text[: quantity.start]):
        return False
    if quantity.base == FOLD.base:
        return quantity.said.endswith("times")
    return quantity.base == COUNT.base and _TIMES.match(figures.text, quantity.end) is not None


def _is_list(claimed: Quantity, said: str, texts: tuple[str, ...], quoted: tuple[Figures, ...]) -> bool:
    """Tell whether a claim counts the parts of a list, its own or of its quotes, that they count in no other way."""
    if claimed.base not in COUNTS or not 1 < claimed.value <= _MOST_LISTED or not _LISTED.match(said, claimed.end):
        return False
    if any(
        each.base in COUNTS and _LISTED.match(figures.text, each.end)
        for figures in quoted
        for each in figures.quantities
    ):
        return False
    told = (_parts_behind(said, claimed.end), _parts_before(said, claimed.start))
    return claimed.value in told or any(claimed.value in _lengths(text) for text in texts)


def _parts_behind(said: str, end: int) -> Fraction:
    opens = _OPENS.search(said, end)
    if opens is None:
        return Fraction(0)
    ends = _ENDS.search(said, opens.end())
    told = said[opens.end() : len(said) if ends is None else ends.start()]
    return Fraction(sum(bool(part.strip()) for part in _PARTS.split(told)))


def _parts_before(said: str, start: int) -> Fraction:
    """Count what a claim lists right before it counts it: 身份证和护照这两样."""
    before = said[max((each.end() for each in _CLAUSE.finditer(said, 0, start)), default=0) : start]
    return Fraction(1 + len(_JOINED_HAN.findall(before)))


def _lengths(text: str) -> Iterator[Fraction]:
    """Yield how many parts the lists of a text have, in a row or one below the other."""
    yield Fraction(len(_BULLET.findall(text)))
    yield from (Fraction(1 + len(_JOINED_HAN.findall(clause))) for clause in _CLAUSE.split(text))
    yield from (Fraction(2 + found["before"].count(",")) for found in _JOINED.finditer(text))


def _is_part_of_name(claimed: Quantity, said: str, texts: tuple[str, ...]) -> bool:
    """Tell whether a number begins a name that is translated: "three-guarantees" for 三包."""
    if claimed.base != COUNT.base or claimed.value not in _HAN_NUMERALS or not said.startswith("-", claimed.end):
        return False
    return any(numeral in text for text in texts for numeral in _HAN_NUMERALS[int(claimed.value)])
