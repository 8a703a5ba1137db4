"""Check that every figure of a claim follows from its quotes: numbers, amounts, shares, durations, dates, bounds."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from knowledge.validation.bounds import Bound, is_entailed
from knowledge.validation.dates import Moment, covers
from knowledge.validation.denials import first_denial
from knowledge.validation.quantities import Figures, Quantity, find_figures
from knowledge.validation.units import COUNT, COUNTS, ORDINAL, PERIODS, are_compatible
from knowledge.validation.words import normalise

_DIGITS = "0123456789"

# "First" is as often a manner of speaking as a figure, so any wording of it in a quote carries it.
_FIRST = re.compile(r"\b(?:first|1st|initial(?:ly)?|once)\b|第一|首|初")
# What holds "once" something has happened holds right away.
_ONCE = re.compile(r"\bonce\b|\bwithout\s(?:undue\s)?delay\b|\bas\ssoon\sas\b|\bupon\b|一经|一旦")


# A limit in the other direction on the same figure rules out every looser reading of it.
_OPPOSED: dict[Bound, frozenset[Bound]] = {"min": frozenset({"max"}), "max": frozenset({"min"})}
# Where a text treats the other case too, "from 14 days on" is what "under 14 days" leaves.
_COMPLEMENT: dict[Bound, frozenset[Bound]] = {
    "min": frozenset({"under"}),
    "under": frozenset({"min"}),
    "max": frozenset({"over"}),
    "over": frozenset({"max"}),
}
# What is denied outside a limit is granted inside: "after 60 days it cannot be restored", "it can for 60 days".
_OUTSIDE: dict[Bound, frozenset[Bound]] = {
    "over": frozenset({"max", "none"}),
    "after": frozenset({"max", "none"}),
    "under": frozenset({"min"}),
    "before": frozenset({"min"}),
}
# "What falls short of 500 yuan is made up to 500 yuan" sets a floor, and its counterpart a ceiling.
_MAKE_UP: dict[Bound, frozenset[str]] = {"min": frozenset({"under", "none"}), "max": frozenset({"over", "none"})}


_MAY_LOSE_BOUND = PERIODS | {"immediate"}

# "Once a month" needs a quote that counts by the month: the one of 一个月 is no figure of its own there.
_EVERY: dict[tuple[str, Fraction], re.Pattern[str]] = {
    ("day", Fraction(1)): re.compile(r"每[天日]|按[天日]|\b(?:per|each|every|a)\sday\b|\bdaily\b"),
    ("day", Fraction(7)): re.compile(r"每(?:个?星期|周)|按周|\b(?:per|each|every|a)\sweek\b|\bweekly\b"),
    ("month", Fraction(1)): re.compile(r"每个?月|按月|\b(?:per|each|every|a)\s(?:calendar\s)?month\b|\bmonthly\b"),
    ("month", Fraction(3)): re.compile(
        r"每个?季度?|按季|\b(?:per|each|every|a)\s(?:calendar\s)?quarter\b|\bquarterly\b"
    ),
    ("month", Fraction(12)): re.compile(
        r"每年|按年|\b(?:per|each|every|a)\s(?:calendar\s)?year\b|\b(?:year|annual)ly\b"
    ),
}
_ONE_UNIT = re.compile(r"(?:[一1]\s?个?|one\s|an?\s)(?:[天日周月年]|星期|季度|day|week|month|quarter|year)")
_WEEKEND, _WORK_WEEK = re.compile(r"周末|双休日?|\bweekends?\b"), re.compile(r"工作日|\bweekdays?\b|\bworking\sdays?\b")
_SATURDAY = 5
# "From the sixth on" is what "the first five" leaves.
_FIRST_SOME = re.compile(r"(?:\bfirst|前)\s?$")
_COUPLE, _TWO_OR_THREE = re.compile(r"a\scouple"), re.compile(r"[两二]三")
_ONE_TIME = re.compile(r"\bonce\b|\bfirst\b|第一次|首次")

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
        if not _must_be_quoted(quantity) or any(_carries(figures, quantity) for figures in quoted):
            continue
        if (
            not _is_worded(quantity, texts)
            and not _is_outside(quantity, said, quoted)
            and not _is_next(quantity, texts)
            and not _is_couple(quantity, quoted)
        ):
            yield UncoveredFigure(quantity.said, is_moment=False)
    for moment in claimed.moments:
        is_carried = any(_carries_moment(figures, moment) for figures in quoted) and (
            _keeps_side(moment, quoted) or first_denial(said) is not None
        )
        if not is_carried and not _is_named_day(moment, texts):
            yield UncoveredFigure(said[moment.start : moment.end], is_moment=True)
    known = frozenset(name for figures in quoted for name in figures.names)
    for name in claimed.names:
        if name not in known and name.lstrip(_DIGITS) in {other.lstrip(_DIGITS) for other in known}:
            yield UncoveredFigure(name, is_moment=False)
    for token in claimed.tokens:
        if not any(token in text for text in texts):
            yield UncoveredFigure(token, is_moment=False)


def _is_worded(quantity: Quantity, texts: tuple[str, ...]) -> bool:
    return any(pattern.search(text) for pattern in _wordings(quantity) for text in texts)


def _is_outside(claimed: Quantity, said: str, quoted: tuple[Figures, ...]) -> bool:
    """Tell whether a claim denies beyond a limit what the quotes grant within it."""
    granted = _OUTSIDE.get(claimed.bound, frozenset())
    equal = (other for figures in quoted for other in figures.quantities if _is_equal(claimed, other))
    is_limit = any(other.bound in granted and (other.bound != "none" or other.base in PERIODS) for other in equal)
    return is_limit and first_denial(said) is not None


def _is_next(claimed: Quantity, texts: tuple[str, ...]) -> bool:
    """Tell whether an ordinal follows right behind those for which the quotes have a rule of their own."""
    if claimed.base != ORDINAL.base:
        return False
    others = [(text, find_figures(text)) for text in texts]
    return any(_leaves(text, figures, claimed.value - 1) for text, figures in others if figures.has_other_case)


def _is_couple(claimed: Quantity, quoted: tuple[Figures, ...]) -> bool:
    """Tell whether "a couple of months" stands for 两三个月, or the other way round."""
    alike = (each for figures in quoted for each in figures.quantities if each.base == claimed.base)
    return any(
        (_COUPLE.match(claimed.said) and _TWO_OR_THREE.match(each.said))
        or (_TWO_OR_THREE.match(claimed.said) and _COUPLE.match(each.said))
        for each in alike
    )


def _leaves(text: str, figures: Figures, last: Fraction) -> bool:
    if last == 1:
        return _ONE_TIME.search(text) is not None
    return any(each.value == last and _FIRST_SOME.search(text[: each.start]) for each in figures.quantities)


def _is_named_day(moment: Moment, texts: tuple[str, ...]) -> bool:
    """Tell whether a day of the week is one of those that the quotes name together."""
    if moment.kind != "weekday":
        return False
    named = _WEEKEND if (moment.parts[0] or 0) >= _SATURDAY else _WORK_WEEK
    return any(map(named.search, texts))


def _wordings(quantity: Quantity) -> tuple[re.Pattern[str], ...]:
    """Give what a quote may say instead of a figure that is hardly one."""
    if quantity.base == "immediate":
        return (_ONCE,)
    every = _EVERY.get((quantity.base, quantity.value))
    if every is not None and quantity.bound == "none" and _ONE_UNIT.match(quantity.said):
        return (every,)
    return (_FIRST,) if (quantity.base, quantity.value) == (ORDINAL.base, 1) else ()


def _must_be_quoted(quantity: Quantity) -> bool:
    """Leave out what only looks like a figure: "one" as a pronoun, 一 as an article, "a week" as a manner of speaking."""
    if quantity.base in COUNTS and not quantity.said[0].isdigit():
        return quantity.value != 1 or quantity.bound not in ("none", "approx", "after", "before")
    return not quantity.is_loose or quantity.bound != "none"


def _carries(figures: Figures, claimed: Quantity) -> bool:
    equal = [quoted for quoted in figures.quantities if _is_equal(claimed, quoted)]
    bounds = frozenset(quoted.bound for quoted in equal)
    if bounds & _COMPLEMENT.get(claimed.bound, frozenset()) and figures.has_other_case:
        return True
    if claimed.bound == "max" and bounds >= _MAKE_UP["min"]:
        return False
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


def _keeps_side(claimed: Moment, quoted: tuple[Figures, ...]) -> bool:
    """Tell whether a claim looks from a moment to the side that its quotes look to: before it or after it."""
    sides = {other.side for figures in quoted for other in figures.moments if covers(other, claimed)}
    return not sides or any({side, claimed.side} != {"before", "after"} for side in sides)


def _carries_moment(figures: Figures, claimed: Moment) -> bool:
    if any(covers(quoted, claimed) for quoted in figures.moments):
        return True
    said = [part for part in claimed.parts if part is not None]
    plain = {quoted.value for quoted in figures.quantities if quoted.base == COUNT.base}
    return claimed.kind == "date" and len(said) == 1 and said[0] in plain
