"""Find every quantity of a text: value, unit, bound. What looks numeric and cannot be read is kept as text."""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from knowledge.validation.bounds import Bound, end_of_limit, read_bound
from knowledge.validation.dates import Moment, find_moments
from knowledge.validation.lexicon import compile_by_start
from knowledge.validation.notations import PATTERN, READINGS, WORDED
from knowledge.validation.numerals import read_number
from knowledge.validation.readings import read_once
from knowledge.validation.units import (
    COUNT,
    MONEY,
    PERCENT,
    Unit,
    are_compatible,
    read_unit,
)

_SOME = re.compile(r"[十百千万][来几多]|^a\scouple|[\d一二两三四五六七八九]\s*个?[多余]")
_OPEN = re.compile(r"\sor\s(?:(?P<min>more)|fewer|less)\s")
_AGE = re.compile(r"岁$|\bolds?$|\sage$")
_MORE = re.compile(r"[十百千万][几多]|[\d一二两三四五六七八九]\s*个?[多余]")
# A text without any of these holds no figure, date or time: most pieces of a text are done with at these looks.
_SIGN = re.compile(r"[\d$€£¥零〇一二两三四五六七八九十百千万廿卅半双翻首减折立马即当午]")
_WORD = re.compile(
    rf"(?<![a-z])(?:{WORDED}|noon|midday|midnight|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
)
_WITHIN_BEFORE, _WITHIN_AFTER = (
    re.compile(r"\b(?:within|inside)(?:\sof)?\s(?:the\s)?$"),
    re.compile(r"\s?(?:的)?(?:之内|以内|内|里)"),
)
# "The 21-day window" names a limit, whichever way it looks.
_THOSE = compile_by_start(r"(?:\b(?:those|these)\s|[那这])$")
_NAMED_LIMIT = re.compile(r"\s?(?:window|limit|deadline|mark|rule|period|cut-?off|line|threshold)\b")
_RANGE = re.compile(r"\s*(?:to|-|–|—|~|至|到|through|until)\s*")
_BETWEEN = re.compile(r"\s*(?:and|和|与)\s*")
_OPENS_RANGE = re.compile(r"\bbetween\s*$|介于\s*$|在\s*$")
_DAYS = ("day", "business day", "business hour")
_STEPS = (Fraction(7), Fraction(1), Fraction(1, 24))
_EITHER = re.compile(r"\s*(?:or|或者?)\s*")
_LISTED = re.compile(r"\s*(?:or|and|、|,|,\s*or|或|或者|和|及|\()\s*")
_DIGIT = re.compile(r"\d")
_AROUND_DIGIT = re.compile(r"[\w.,]*\d[\w.,]*")
_REACH = 72
_STOP = re.compile(r"[;；。!！\n]|\.(?!\d)")
_OTHER_CASE = re.compile(
    r"(?<!days\s)(?<!day\s)(?<!weeks\s)(?<!week\s)(?<!months\s)(?<!month\s)(?<!hours\s)(?<!hour\s)(?<!\bno\s)(?<!\bor\s)(?<!\bnot\s)\b(?:earlier|later)\b|\b(?:otherwise|other(?:s|\sthan)?|else|(?:below|above|beyond|over|under)\s(?:that|this|these|those)|after\sthat|beyond|further|subsequent)\b|\b(?:smaller|larger|bigger|younger|older|heavier|lighter|shorter)\b(?!\sthan)|[以之此]后每|否则|其他|其余|逾期|反之"
)


# A month has no fixed length in days, half a month is fifteen by usage.
_HALF_MONTH = {("month", Fraction(1, 2)), ("day", Fraction(15))}


class Quantity(NamedTuple):
    """One figure of a text. `base` and `value` make figures comparable; `said` is how the text puts it."""

    base: str
    value: Fraction
    bound: Bound
    said: str
    start: int
    end: int
    is_loose: bool = False
    """Named by an article ("a week"): it counts as evidence, and as a claim only where a bound makes it a limit."""
    is_within: bool = False
    """Limited by "within" or 内: what holds for a plain period holds within it."""
    number: Fraction = Fraction(0)
    """The value in the unit of the text itself: 15 in "15 minutes"."""


class Figures(NamedTuple):
    """Everything numeric in one text."""

    text: str
    quantities: tuple[Quantity, ...] = ()
    moments: tuple[Moment, ...] = ()
    tokens: tuple[str, ...] = ()
    """What looks numeric and has no reading: compared as text."""
    names: tuple[str, ...] = ()
    """Names that begin with figures, such as a company's: words, unless a quote has the name with other figures."""

    @property
    def has_other_case(self) -> bool:
        """Whether the text says what holds otherwise: "earlier cancellations", 其他的, 逾期的."""
        return _OTHER_CASE.search(self.text) is not None


def is_equal(claimed: Quantity, quoted: Quantity) -> bool:
    """Tell whether a claimed figure measures what a quoted one does, whatever their bounds."""
    if _is_same(claimed.value, quoted.value):
        return are_compatible(claimed.base, quoted.base)
    if _is_bare(claimed, quoted) or _is_third(claimed, quoted):
        return True
    return claimed.base != quoted.base and {(claimed.base, claimed.value), (quoted.base, quoted.value)} == _HALF_MONTH


def _is_same(one: Fraction, other: Fraction) -> bool:
    """Compare as `==` does, in a fifth of the time: every figure of a claim meets every figure of its quotes."""
    return one.as_integer_ratio() == other.as_integer_ratio()


def _is_bare(claimed: Quantity, quoted: Quantity) -> bool:
    """Tell whether a claim leaves out the unit of a quoted figure, or says of an age that it counts years."""
    if COUNT.base not in (claimed.base, quoted.base) or not _is_same(claimed.number, quoted.number):
        return False
    if claimed.base == COUNT.base:
        return are_compatible(claimed.base, quoted.base)
    return quoted.base == COUNT.base and _AGE.search(claimed.said) is not None


def _is_third(claimed: Quantity, quoted: Quantity) -> bool:
    """Tell whether one share is a third, or two, and the other its whole number of percent."""
    if claimed.base != quoted.base or claimed.base != PERCENT.base:
        return False
    one, other = sorted((claimed.value, quoted.value))
    return other - one < 1 and {one.denominator, other.denominator} == {1, 3}


def sentence_of(quantity: Quantity, text: str) -> str:
    """Cut the sentence out of a text that a figure of it stands in."""
    begins = max((each.end() for each in _STOP.finditer(text, 0, quantity.start)), default=0)
    ends = _STOP.search(text, quantity.end)
    return text[begins : len(text) if ends is None else ends.start()]


def may_hold_figures(text: str) -> bool:
    """Tell at one look whether a text in normal form may hold a figure, date or time."""
    return _SIGN.search(text) is not None or _WORD.search(text) is not None


@read_once
def find_figures(text: str) -> Figures:
    """Read a text that is in the normal form of `words.normalise`."""
    unbounded = _find_unbounded(text)
    if not unbounded.quantities:
        return unbounded
    return unbounded._replace(quantities=_with_bounds(_mask(text, unbounded.moments), unbounded.quantities))


@read_once
def _find_unbounded(text: str) -> Figures:
    """Read a text but for the bounds of its figures, which cost as much again and are not asked for by all."""
    if not may_hold_figures(text):
        return Figures(text)
    moments = find_moments(text)
    masked = _mask(text, moments)
    everything = tuple(PATTERN.finditer(masked))
    quantities = [quantity for found in everything for quantity in _read(found)]
    return Figures(
        text,
        tuple(_share_units(masked, quantities)),
        moments,
        (*_matched(everything, "token"), *_unread(masked, everything)),
        tuple(_matched(everything, "name")),
    )


@read_once
def name_figures(text: str) -> frozenset[str]:
    """Name the figures of a text in normal form, so that texts can be compared by what they share."""
    return frozenset([f"{each.base} {each.value}" for each in _find_unbounded(text).quantities if not each.is_loose])


def _mask(text: str, moments: tuple[Moment, ...]) -> str:
    """Blank out what is read already, keeping every place."""
    for moment in moments:
        text = text[: moment.start] + "\x00" * (moment.end - moment.start) + text[moment.end :]
    return text


def _matched(everything: tuple[re.Match[str], ...], kind: str) -> Iterator[str]:
    return (found.group() for found in everything if found.lastgroup == kind)


def _unread(text: str, everything: tuple[re.Match[str], ...]) -> Iterator[str]:
    """Yield what has digits between the matches."""
    end = 0
    for start, after in (*(found.span() for found in everything), (len(text), len(text))):
        if _DIGIT.search(text, end, start):
            yield from _AROUND_DIGIT.findall(text[end:start])
        end = after


def _read(found: re.Match[str]) -> Iterator[Quantity]:
    """Yield what a match counts: one figure, or the two ends of a range."""
    kind = found.lastgroup or ""
    if kind == "span_unit":
        unit = read_unit(found["span_unit"])
        scale = unit.factor * (read_number(found["scale"]) if found["scale"] else 1)
        low, high = found["low"]
        yield _quantity(found, unit, read_number(low) * scale, "low")
        yield _quantity(found, unit, read_number(high) * scale, "high")
    elif kind in READINGS:
        unit, value = READINGS[kind](found)
        yield _quantity(found, unit, value if unit.factor == 1 else value * unit.factor)


def _quantity(found: re.Match[str], unit: Unit, value: Fraction, bound: Bound = "none") -> Quantity:
    is_loose = found.lastgroup == "article_unit"
    number = value / unit.factor
    return Quantity(unit.base, value, bound, found.group(), found.start(), found.end(), is_loose, number=number)


def _with_bounds(text: str, quantities: tuple[Quantity, ...]) -> tuple[Quantity, ...]:
    bounded: list[Quantity] = []
    for index, quantity in enumerate(quantities):
        previous_end = min(end_of_limit(text, quantities[index - 1].end), quantity.start) if index else 0
        before = text[max(previous_end, quantity.start - _REACH) : quantity.start]
        bounded.append(_bound(quantity, before, text[quantity.end : quantity.end + _REACH]))
    return _mark_ranges(text, bounded)


def _share_units(text: str, quantities: list[Quantity]) -> list[Quantity]:
    """Give a figure without unit the unit of the next one it stands in a list or range with: "5 to 7 days"."""
    shared = list(quantities)
    for index in range(len(shared) - 2, -1, -1):
        this, after = shared[index], shared[index + 1]
        if this.base == COUNT.base and after.base not in ("ordinal", "immediate"):
            gap = text[this.end : after.start]
            if _RANGE.fullmatch(gap) or _LISTED.fullmatch(gap) or _BETWEEN.fullmatch(gap):
                shared[index] = this._replace(base=after.base, value=this.value * _factor(after))
    return _share_currencies(text, shared)


def _share_currencies(text: str, quantities: list[Quantity]) -> list[Quantity]:
    """Give the second end of a range the currency that stands before the first: "RMB 10,000 to 50,000"."""
    shared = list(quantities)
    for index in range(1, len(shared)):
        before, this = shared[index - 1], shared[index]
        if this.base == COUNT.base and before.base in MONEY and _RANGE.fullmatch(text[before.end : this.start]):
            shared[index] = this._replace(base=before.base)
    return shared


def _factor(quantity: Quantity) -> Fraction:
    found = PATTERN.match(quantity.said)
    return read_unit(found.group("unit")).factor if found and found.group("unit") else Fraction(1)


def _bound(quantity: Quantity, before: str, after: str) -> Quantity:
    if quantity.bound != "none":
        return quantity
    if opened := _OPEN.search(quantity.said):
        return quantity._replace(bound="max" if opened.lastgroup is None else "min")
    if _SOME.search(quantity.said):
        return quantity._replace(bound="over" if _MORE.search(quantity.said) else "approx")
    if ("-" in quantity.said and _NAMED_LIMIT.match(after)) or _THOSE.search(before):
        return quantity
    within = _WITHIN_BEFORE.search(before) or _WITHIN_AFTER.match(after)
    return quantity._replace(bound=read_bound(before, after), is_within=within is not None)


def _is_next_day(low: Quantity, high: Quantity) -> bool:
    """Tell whether "three or four days" is meant as a range; "12 or 24 months" are two terms to choose from."""
    is_step = any(high.value - low.value == step and high.value % step == 0 for step in _STEPS)
    return low.base == high.base and low.base in _DAYS and is_step


def _spans(text: str, low: Quantity, high: Quantity) -> bool:
    gap = text[low.end : high.start]
    return bool(
        _RANGE.fullmatch(gap)
        or (_BETWEEN.fullmatch(gap) and _OPENS_RANGE.search(text[: low.start]))
        or (_EITHER.fullmatch(gap) and _is_next_day(low, high))
    )


def _mark_ranges(text: str, quantities: list[Quantity]) -> tuple[Quantity, ...]:
    marked = list(quantities)
    for index in range(len(marked) - 1):
        low, high = marked[index], marked[index + 1]
        if low.base == high.base and low.value < high.value and _spans(text, low, high):
            marked[index], marked[index + 1] = low._replace(bound="low"), high._replace(bound="high")
    return tuple(marked)
