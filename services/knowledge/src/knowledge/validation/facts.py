"""Check that every figure of a claim follows from its quotes: numbers, amounts, shares, durations, dates, bounds."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest

from knowledge.validation.bounds import Bound, is_entailed
from knowledge.validation.dates import Moment, covers
from knowledge.validation.denials import denies, first_denial
from knowledge.validation.quantities import Figures, Quantity, find_figures, is_equal
from knowledge.validation.restating import Told, is_restated
from knowledge.validation.units import COUNT, COUNTS, PERIODS
from knowledge.validation.words import normalise

_DIGITS = "0123456789"

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


# What is granted up to a limit is granted below it, what from it on is granted above it.
_WITHIN: dict[Bound, Bound] = {"under": "max", "over": "min"}
_MAY_LOSE_BOUND = PERIODS | {"immediate"}

_LASTING = re.compile(r"\b(?:for|lasts?|takes?|valid|good)\s(?:only\s|just\s|about\s)?$")
_LIMITED = re.compile(
    r"\b(?:in|within|inside|of|for|to|than|over|under|after|before|least|most|about|around|by|exactly|until|once|past|exceed\w*|lasts?|takes?|is|another|every|given?|gives?|have|has|gets?|only|just)\s(?:the\s)?$"
)
_EXPLAINS = re.compile(r"\s*[(,]\s*(?:that\sis,?\s|i\.e\.,?\s|也?就?是|即)?")
_DAYS_A_MONTH, _LEEWAY = 30, Fraction(1, 15)

# What is kept "for five full years" is kept for five years: 存满五年.
_LASTED = re.compile(r"满了?(?:整整)?$")
_WEEKEND, _WORK_WEEK = re.compile(r"周末|双休日?|\bweekends?\b"), re.compile(r"工作日|\bweekdays?\b|\bworking\sdays?\b")
_SATURDAY = 5
# A quote that says from when on something holds may say what held until then.
_BEFORE_THAT = re.compile(r"\b(?:until\sthen|before\s(?:that|then|this)|previously)\b|此前|在此之前")


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
    told = Told(said, texts, tuple(find_figures(text) for text in texts))
    for quantity, after in zip_longest(claimed.quantities, claimed.quantities[1:]):
        if _must_be_quoted(quantity, told) and not (
            _is_carried(quantity, told) or is_restated(quantity, told) or _is_explained(quantity, after, said)
        ):
            yield UncoveredFigure(quantity.said, is_moment=False)
    for moment in claimed.moments:
        if not _is_carried_moment(moment, told):
            yield UncoveredFigure(said[moment.start : moment.end], is_moment=True)
    for text in (*_other_names(claimed, told), *(token for token in claimed.tokens if not _stands_in(token, texts))):
        yield UncoveredFigure(text, is_moment=False)


def _is_explained(quantity: Quantity, after: Quantity | None, said: str) -> bool:
    """Tell whether a claim says itself which figure it means: 一个月（30天）. That one is looked at for itself."""
    return (
        after is not None
        and {quantity.base, after.base} == {"month", "day"}
        and _EXPLAINS.fullmatch(said, quantity.end, after.start) is not None
        and abs(_days(quantity) - _days(after)) <= _LEEWAY * _days(after)
    )


def _days(quantity: Quantity) -> Fraction:
    return quantity.value * _DAYS_A_MONTH if quantity.base == "month" else quantity.value


def _is_carried(quantity: Quantity, told: Told) -> bool:
    is_lasted = quantity.bound == "min" and quantity.base in PERIODS and _LASTED.search(told.said[: quantity.start])
    readings = (quantity, quantity._replace(bound="exact")) if is_lasted else (quantity,)
    return any(
        _carries(figures, reading) and not _denies_inside(reading, figures, told.said)
        for reading in readings
        for figures in told.quoted
    )


def _denies_inside(claimed: Quantity, quoted: Figures, said: str) -> bool:
    """Tell whether a claim denies within a limit what its quotes grant there: "under ten is not accepted" for "up to ten"."""
    granted = _WITHIN.get(claimed.bound)
    if granted is None or first_denial(said) is None or denies(quoted.text):
        return False
    bounds = {other.bound for other in quoted.quantities if is_equal(claimed, other)}
    return granted in bounds and claimed.bound not in bounds


def _is_carried_moment(moment: Moment, told: Told) -> bool:
    is_said = any(_carries_moment(figures, moment) for figures in told.quoted)
    keeps = is_said and (
        _keeps_side(moment, told.quoted)
        or first_denial(told.said) is not None
        or (moment.side == "before" and any(map(_BEFORE_THAT.search, told.texts)))
    )
    return keeps or _is_named_day(moment, told.texts)


def _other_names(claimed: Figures, told: Told) -> Iterator[str]:
    """Yield names that begin with other figures than in the quotes."""
    known = frozenset(name for figures in told.quoted for name in figures.names)
    bare = {other.lstrip(_DIGITS) for other in known}
    yield from (name for name in claimed.names if name not in known and name.lstrip(_DIGITS) in bare)


def _stands_in(token: str, texts: tuple[str, ...]) -> bool:
    """Tell whether texts have something numeric as a whole: "a-3" does not stand in "a-38", nor "4.2" in "4.2.1"."""
    begins = r"(?<![a-z0-9_])(?<!\d[.:/-])" if token[0].isalnum() else ""
    whole = re.compile(rf"{begins}{re.escape(token)}(?![a-z0-9_]|[.:/-]\d)")
    return any(map(whole.search, texts))


def _is_named_day(moment: Moment, texts: tuple[str, ...]) -> bool:
    """Tell whether a day of the week is one of those that the quotes name together."""
    if moment.kind != "weekday":
        return False
    named = _WEEKEND if (moment.parts[0] or 0) >= _SATURDAY else _WORK_WEEK
    return any(map(named.search, texts))


def _must_be_quoted(quantity: Quantity, told: Told) -> bool:
    """Leave out what only looks like a figure: "one" as a pronoun, 一 as an article, "a week" as a manner of speaking."""
    if quantity.base in COUNTS and not quantity.said[0].isdigit():
        return quantity.value != 1 or quantity.bound not in ("none", "approx", "after", "before")
    return (
        not quantity.is_loose
        or (quantity.bound != "none" and not _is_rate(quantity, told.said))
        or _is_term(quantity, told)
        or _is_other_lead(quantity, told)
    )


def _is_rate(quantity: Quantity, said: str) -> bool:
    """Tell whether "a week" says how often: "three bookings a week is the most"."""
    return _LIMITED.search(said[: quantity.start]) is None


def _is_term(quantity: Quantity, told: Told) -> bool:
    """Tell whether "a month" says how long, where no quote speaks of months: "it is valid for a month"."""
    unit = quantity.said.rpartition(" ")[2]
    return _LASTING.search(told.said[: quantity.start]) is not None and not any(unit in text for text in told.texts)


def _is_other_lead(quantity: Quantity, told: Told) -> bool:
    """Tell whether "a week ahead" or "a week later" says how long, where the quotes name other periods alone."""
    if quantity.bound not in ("before", "after"):
        return False
    periods = [each for figures in told.quoted for each in figures.quantities if each.base in PERIODS]
    return bool(periods) and not any(is_equal(quantity, each) for each in periods)


def _carries(figures: Figures, claimed: Quantity) -> bool:
    equal = [quoted for quoted in figures.quantities if is_equal(claimed, quoted)]
    bounds = frozenset(quoted.bound for quoted in equal)
    if bounds & _COMPLEMENT.get(claimed.bound, frozenset()) and figures.has_other_case:
        return True
    if claimed.bound == "max" and bounds >= _MAKE_UP["min"]:
        return False
    if (claimed.is_within and "none" in bounds and claimed.base in PERIODS) or (
        claimed.bound == "min" and "before" in bounds
    ):
        return True
    if claimed.bound in bounds or bounds >= _MAKE_UP.get(claimed.bound, frozenset({"never"})):
        return True
    if bounds & _OPPOSED.get(claimed.bound, frozenset()):
        return False
    return any(
        is_entailed(claimed.bound, quoted.bound, is_period=quoted.base in _MAY_LOSE_BOUND) for quoted in equal
    ) or (claimed.base == COUNT.base and _is_part_of_moment(figures, claimed))


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
