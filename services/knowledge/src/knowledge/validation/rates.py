"""Read how often something happens: twice a year is every six months, quarterly is four times a year."""

import re
from fractions import Fraction
from typing import Final

from knowledge.validation.lexicon import compile_by_start
from knowledge.validation.numerals import NUMBER, read_number
from knowledge.validation.readings import read_once

_A_YEAR: Final = {
    "day": Fraction(365),
    "week": Fraction(52),
    "month": Fraction(12),
    "quarter": Fraction(4),
    "year": Fraction(1),
    "天": Fraction(365),
    "日": Fraction(365),
    "周": Fraction(52),
    "星期": Fraction(52),
    "月": Fraction(12),
    "季": Fraction(4),
    "季度": Fraction(4),
    "年": Fraction(1),
}
_ADVERBS: Final = {
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "annually": "year",
}
_UNIT: Final = r"(?:days?|weeks?|months?|quarters?|years?)\b"
_HAN_UNIT: Final = r"(?:天|日|周|星期|月|季度?|年)"
_TIMES: Final = compile_by_start(
    rf"(?:\b(?P<word>once|twice)|(?P<times>{NUMBER})\stimes)\s(?:an?|per|each|every)\s(?P<unit>{_UNIT})"
    rf"|\b(?:every|each)\s(?:(?P<step>{NUMBER})\s)?(?P<every>{_UNIT})"
    rf"|\b(?P<adverb>{'|'.join(_ADVERBS)})\b"
    rf"|(?:每|一)个?(?P<han_unit>{_HAN_UNIT})[^\d,。;一二两三四五六七八九十]{{0,4}}(?P<han_times>{NUMBER})[次回]"
    r"|(?P<half>每半个?年|半年[^\d,。;一二两三四五六七八九十]{0,4}一次|\bevery\s(?:half[\s-](?:a\s)?year|six\smonths)\b|\bhalf-yearly\b|\bsemi-?annual(?:ly)?\b)"
    rf"|每(?:隔)?(?P<han_step>{NUMBER})?个?(?P<han_every>{_HAN_UNIT})"
    rf"|(?P<han_apart>{NUMBER})个?(?P<han_term>{_HAN_UNIT})[^\d,。;一二两三四五六七八九十]{{0,4}}[一1][次回]"
)


@read_once
def read_rates(text: str) -> tuple[tuple[int, int, Fraction], ...]:
    """List places and times a year of what a text in normal form says to happen again and again."""
    return tuple((found.start(), found.end(), _rate(found)) for found in _TIMES.finditer(text))


def _rate(found: re.Match[str]) -> Fraction:
    groups = {name: value for name, value in found.groupdict().items() if value is not None}
    if "adverb" in groups:
        return _A_YEAR[_ADVERBS[groups["adverb"]]]
    if "half" in groups:
        return Fraction(2)
    if "unit" in groups or "han_unit" in groups:
        times = groups.get("times") or groups.get("han_times")
        return _count(times, groups.get("word")) * _in_a_year(groups.get("unit") or groups["han_unit"])
    step = groups.get("step") or groups.get("han_step") or groups.get("han_apart")
    return _in_a_year(groups.get("every") or groups.get("han_every") or groups["han_term"]) / max(
        _count(step, None), Fraction(1)
    )


def _count(number: str | None, word: str | None) -> Fraction:
    if number is not None:
        return read_number(number)
    return Fraction(2) if word == "twice" else Fraction(1)


def _in_a_year(unit: str) -> Fraction:
    return _A_YEAR[unit.removesuffix("s") if unit.isascii() else unit]


def is_same_rate(start: int, end: int, text: str, quotes: tuple[str, ...]) -> bool:
    """Tell whether a figure of a text belongs to a rate that a quote tells in other terms."""
    rates = {rate for begins, ends, rate in read_rates(text) if begins <= start and end <= ends + 1}
    return bool(rates) and any(rates & {rate for _, _, rate in read_rates(quote)} for quote in quotes)
