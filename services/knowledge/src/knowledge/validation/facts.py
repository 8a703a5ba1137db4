"""Check that every figure of a claim follows from its quotes: numbers, amounts, shares, durations, dates, bounds."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from knowledge.validation.bounds import Bound, is_entailed
from knowledge.validation.dates import Moment, covers
from knowledge.validation.quantities import Figures, Quantity, find_figures
from knowledge.validation.units import COUNT, ORDINAL, PERIODS, are_compatible
from knowledge.validation.words import normalise

_DIGITS = "0123456789"

# "First" is as often a manner of speaking as a figure, so any wording of it in a quote carries it.
_FIRST = re.compile(r"\b(?:first|1st|initial(?:ly)?)\b|第一|首|初")
# What holds "once" something has happened holds right away.
_ONCE = re.compile(r"\bonce\b|\bas\ssoon\sas\b|\bupon\b|一经|一旦")


# A limit in the other direction on the same figure rules out every looser reading of it.
_OPPOSED: dict[Bound, frozenset[Bound]] = {"min": frozenset({"max"}), "max": frozenset({"min"})}
# Where a text treats the other case too, "from 14 days on" is what "under 14 days" leaves.
_COMPLEMENT: dict[Bound, frozenset[Bound]] = {
    "min": frozenset({"under"}),
    "under": frozenset({"min"}),
    "max": frozenset({"over"}),
    "over": frozenset({"max"}),
}
# "What falls short of 500 yuan is made up to 500 yuan" sets a floor, and its counterpart a ceiling.
_MAKE_UP: dict[Bound, frozenset[str]] = {"min": frozenset({"under", "none"}), "max": frozenset({"over", "none"})}


_MAY_LOSE_BOUND = PERIODS | {"immediate"}

# A month has no fixed length in days, half a month is fifteen by usage.
_HALF_MONTH = {("month", Fraction(1, 2)), ("day", Fraction(15))}


@dataclass(frozen=True, slots=True)
class UncoveredFigure:
    """A figure of a claim that its quotes do not carry."""

    said: str
    is_moment: bool


def find_uncovered(claim: str, quotes: tuple[str, ...]) -> Iterator[UncoveredFigure]:
    """Yield the figures of a claim that none of its quotes entails."""
    said = normalise(claim)
    claimed = find_figures(said)
    texts = tuple(normalise(quote) for quote in quotes)
    quoted = tuple(find_figures(text) for text in texts)
    for quantity in claimed.quantities:
        if _must_be_quoted(quantity) and not any(_carries(figures, quantity) for figures in quoted):
            if any(pattern.search(text) for pattern in _wordings(quantity) for text in texts):
                continue
            yield UncoveredFigure(quantity.said, is_moment=False)
    for moment in claimed.moments:
        if not any(_carries_moment(figures, moment) for figures in quoted):
            yield UncoveredFigure(said[moment.start : moment.end], is_moment=True)
    known = frozenset(name for figures in quoted for name in figures.names)
    for name in claimed.names:
        if name not in known and name.lstrip(_DIGITS) in {other.lstrip(_DIGITS) for other in known}:
            yield UncoveredFigure(name, is_moment=False)
    for token in claimed.tokens:
        if not any(token in text for text in texts):
            yield UncoveredFigure(token, is_moment=False)


def _wordings(quantity: Quantity) -> tuple[re.Pattern[str], ...]:
    """Give what a quote may say instead of a figure that is hardly one."""
    if quantity.base == "immediate":
        return (_ONCE,)
    return (_FIRST,) if (quantity.base, quantity.value) == (ORDINAL.base, 1) else ()


def _must_be_quoted(quantity: Quantity) -> bool:
    """Leave out what only looks like a figure: "one" as a pronoun, 一 as an article, "a week" as a manner of speaking."""
    if quantity.base == COUNT.base and not quantity.said[0].isdigit():
        return quantity.value != 1 or quantity.bound not in ("none", "approx", "after", "before")
    return not quantity.is_loose or quantity.bound != "none"


def _carries(figures: Figures, claimed: Quantity) -> bool:
    equal = [quoted for quoted in figures.quantities if _is_equal(claimed, quoted)]
    bounds = frozenset(quoted.bound for quoted in equal)
    if bounds & _COMPLEMENT.get(claimed.bound, frozenset()) and figures.has_other_case:
        return True
    if claimed.bound in bounds or bounds >= _MAKE_UP.get(claimed.bound, frozenset({"never"})):
        return True
    if bounds & _OPPOSED.get(claimed.bound, frozenset()):
        return False
    return any(
        is_entailed(claimed.bound, quoted.bound, is_period=quoted.base in _MAY_LOSE_BOUND) for quoted in equal
    ) or (claimed.base == COUNT.base and _is_part_of_moment(figures, claimed))


def _is_equal(claimed: Quantity, quoted: Quantity) -> bool:
    if {(claimed.base, claimed.value), (quoted.base, quoted.value)} == _HALF_MONTH:
        return True
    return claimed.value == quoted.value and are_compatible(claimed.base, quoted.base)


def _is_part_of_moment(figures: Figures, claimed: Quantity) -> bool:
    return any(claimed.value == part for moment in figures.moments for part in moment.parts)


def _carries_moment(figures: Figures, claimed: Moment) -> bool:
    if any(covers(quoted, claimed) for quoted in figures.moments):
        return True
    said = [part for part in claimed.parts if part is not None]
    plain = {quoted.value for quoted in figures.quantities if quoted.base == COUNT.base}
    return claimed.kind == "date" and len(said) == 1 and said[0] in plain
