"""Check that every figure of a claim follows from its quotes: numbers, amounts, shares, durations, dates, bounds."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from knowledge.validation.bounds import is_entailed
from knowledge.validation.dates import Moment, covers
from knowledge.validation.quantities import Figures, Quantity, find_figures
from knowledge.validation.units import COUNT, ORDINAL, PERIODS, are_compatible
from knowledge.validation.words import normalise

_DIGITS = "0123456789"

# "First" is as often a manner of speaking as a figure, so any wording of it in a quote carries it.
_FIRST = re.compile(r"\b(?:first|1st|initial(?:ly)?)\b|第一|首|初")


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
            if quantity.base == ORDINAL.base and quantity.value == 1 and any(_FIRST.search(text) for text in texts):
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


def _must_be_quoted(quantity: Quantity) -> bool:
    """Leave out what only looks like a figure: "one" as a pronoun, 一 as an article, "a week" as a manner of speaking."""
    if quantity.base == COUNT.base and not quantity.said[0].isdigit():
        return quantity.value != 1 or quantity.bound not in ("none", "approx", "after", "before")
    return not quantity.is_loose or quantity.bound != "none"


def _carries(figures: Figures, claimed: Quantity) -> bool:
    return any(
        quoted.value == claimed.value
        and are_compatible(claimed.base, quoted.base)
        and is_entailed(claimed.bound, quoted.bound, is_period=quoted.base in PERIODS)
        for quoted in figures.quantities
    ) or (claimed.base == COUNT.base and _is_part_of_moment(figures, claimed))


def _is_part_of_moment(figures: Figures, claimed: Quantity) -> bool:
    return any(claimed.value == part for moment in figures.moments for part in moment.parts)


def _carries_moment(figures: Figures, claimed: Moment) -> bool:
    if any(covers(quoted, claimed) for quoted in figures.moments):
        return True
    said = [part for part in claimed.parts if part is not None]
    plain = {quoted.value for quoted in figures.quantities if quoted.base == COUNT.base}
    return claimed.kind == "date" and len(said) == 1 and said[0] in plain
