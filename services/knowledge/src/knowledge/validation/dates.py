"""Read dates, weekdays and times of day, in figures, in Chinese and in English."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from knowledge.validation.lexicon import compile_by_start
from knowledge.validation.numerals import DIGITS, HAN, read_number

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?"
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_N = rf"(?:\d{{1,2}}|{HAN})"
_YEAR = r"(?:\d{4}|[一二][零〇一二三四五六七八九]{3})"

# Both patterns look at the first character before anything else: most places in a text start no moment.
_DATE = compile_by_start(
    r"(?:(?<![a-z])(?=[jfmasond])|(?=[\d一二两三四五六七八九十百千廿卅]))(?:"
    rf"(?P<y1>{_YEAR})\s*年\s*(?P<m1>{_N})\s*月(?:份)?(?:\s*(?P<d1>{_N})\s*[日号])?"
    rf"|(?P<m2>{_N})\s*月(?:份)?\s*(?P<d2>{_N})\s*[日号]"
    r"|(?<!\d)(?P<y3>\d{4})[-/.](?P<m3>\d{1,2})[-/.](?P<d3>\d{1,2})(?!\d)"
    rf"|\b(?P<m4>{_MONTH})\s+(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?\b(?!,\d{{3}})(?:,?\s+(?P<y4>\d{{4}}))?"
    rf"|(?<!\d)(?P<d5>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m5>{_MONTH})(?:,?\s+(?P<y5>\d{{4}}))?"
    rf"|\b(?P<m6>{_MONTH}),?\s+(?P<y6>\d{{4}})"
    r"|(?<!\d)(?P<y7>(?:19|20)\d{2}|[一二][零〇九][零〇一二三四五六七八九]{2})\s*年(?!期)"
    rf"|(?<!个)(?P<m8>\d{{1,2}}|十?[一二三四五六七八九]|十)\s*月(?:份)?(?![\w])"
    r")"
)
# A text without any of these holds no moment: one look spares three searches.
_HINT = compile_by_start(
    r"[年月周期拜点时午:：]|\d[-/.]\d|(?<![a-z])(?=[adfjmnopstw])(?:[ap]\.?m\b|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|noon|midday|midnight)"
)
_MORE_DAYS = re.compile(rf"\s*(?:[、,和及与至到~-])\s*(?P<d>{_N})\s*[日号]")
_WEEKDAY = compile_by_start(rf"(?:周|星期|礼拜)(?P<han>[一二三四五六日天])|\b(?P<word>{'|'.join(_WEEKDAYS)})s?\b")
_CLOCK = compile_by_start(
    r"(?:(?=[\d上下晚早凌中正午半夜零一二两三四五六七八九十百千廿卅])|(?<![a-z])(?=[mn]))(?:"
    r"(?P<midday>正午|中午12[点时]|\bnoon\b|\bmidday\b|中午(?!\d|[一二两三十]))|(?P<midnight>午夜|零[点时]|\bmidnight\b)|(?P<late>(?:半夜|夜里|晚上)(?:十二|12)[点时])|"
    r"(?P<noon>上午|下午|晚上|早上|凌晨|中午)?(?<!\d)(?P<h>\d{1,2})[:：](?P<m>\d{2})(?!\d)\s*(?P<half>[ap]\.?m\b\.?)?"
    r"|(?<!\d)(?P<h2>\d{1,2})\s*(?P<half2>[ap]\.?m\b\.?)"
    rf"|(?P<noon3>上午|下午|晚上|早上|凌晨|中午)?(?!(?<![午晚早晨上])一时|(?<![午晚早晨上夜到至从])一点(?![钟半整前后到至以之])|(?<=[久长多少快慢早晚大小高低好有差])一点)(?P<h3>{DIGITS}|{HAN})\s*(?:点钟|点(?!数|击|半?[五])|时(?!间|候|段|刻|效|限))(?P<half3>半)?"
    r")"
)


# The end of a day is not its beginning: 24点 is no 零点.
_NAMED_HOURS = {"midday": 720, "midnight": 0, "late": 1440}

Side = Literal["at", "before", "after"]
"""Whether a text speaks of the moment itself, of what comes before it or of what comes after it."""

_BETWEEN = re.compile(r"\bbetween\b[^,.;]{0,40}\sand\s$")
_TO = re.compile(r"\s*(?:to|until|till|through|至|到|-|–|~)\s*")
_SIDES_BEFORE: tuple[tuple[re.Pattern[str], Side], ...] = (
    (
        re.compile(
            r"\b(?:not\sbefore|no\searlier\sthan|not\suntil|after|from|since|start(?:s|ing)?(?:\son|\sfrom|\sat|\sin)?|begin(?:s|ning)?(?:\son|\sfrom|\sat|\sin)?|opens?(?:\son|\sfrom|\sat))\s(?:the\s)?$|自$|从$"
        ),
        "after",
    ),
    (
        re.compile(
            r"\b(?:before|by|until|till|through|no\slater\sthan|not\safter|(?:ends?|closes?|expires?)(?:\son|\sat|\sin)?|last\sday\sis)\s(?:the\s(?:end\sof\s)?)?$|(?:截至|截止到?|(?<!等)[到至])$"
        ),
        "before",
    ),
)
_SIDES_AFTER: tuple[tuple[re.Pattern[str], Side], ...] = (
    (re.compile(r"\s?(?:之?前|以前|止|截止|关门|打烊|结束|or\searlier\b)"), "before"),
    (re.compile(r"\s?(?:之?后|以后|起|开始|开门|开放|or\slater\b|onwards?\b)"), "after"),
)


@dataclass(frozen=True, slots=True)
class Moment:
    """A date, weekday or time of day found in a text: `kind` and its parts, None where the text leaves one open."""

    kind: str
    parts: tuple[int | None, ...]
    start: int
    end: int
    side: Side = "at"


def find_moments(text: str) -> tuple[Moment, ...]:
    """List the moments of a text in the normal form of `words.normalise`, in order."""
    if not _HINT.search(text):
        return ()
    found = sorted((*_dates(text), *_weekdays(text), *_clocks(text)), key=lambda moment: moment.start)
    sided = [replace(moment, side=_side(text, moment)) for moment in found]
    for index in range(len(sided) - 1):
        if _spans(text, sided[index], sided[index + 1]):
            sided[index : index + 2] = replace(sided[index], side="after"), replace(sided[index + 1], side="before")
    return tuple(_end_of_day(text, moment) for moment in sided)


def _end_of_day(text: str, moment: Moment) -> Moment:
    """Read midnight as the end of a day where something lasts until then: "between six and midnight"."""
    if moment.kind != "clock" or moment.parts != (0,):
        return moment
    lasts = moment.side == "before" or _BETWEEN.search(text[max(0, moment.start - 48) : moment.start])
    return replace(moment, parts=(_NAMED_HOURS["late"],)) if lasts else moment


def _spans(text: str, moment: Moment, after: Moment) -> bool:
    """Tell whether two moments are the ends of one span: it starts with the first and ends with the other."""
    return moment.kind == after.kind and _TO.fullmatch(text, moment.end, after.start) is not None


def _side(text: str, moment: Moment) -> Side:
    before, after = text[max(0, moment.start - 24) : moment.start], text[moment.end : moment.end + 12]
    leading: Side | None = next((side for pattern, side in _SIDES_BEFORE if pattern.search(before)), None)
    trailing: Side | None = next((side for pattern, side in _SIDES_AFTER if pattern.match(after)), None)
    return leading or trailing or "at"


def covers(quoted: Moment, claimed: Moment) -> bool:
    """Tell whether a quoted moment says everything a claimed one says."""
    return quoted.kind == claimed.kind and all(
        mine is None or mine == theirs for mine, theirs in zip(claimed.parts, quoted.parts, strict=True)
    )


def _dates(text: str) -> Iterator[Moment]:
    for found in _DATE.finditer(text):
        groups = {name[0]: value for name, value in found.groupdict().items() if value is not None}
        year, month, day = _number(groups.get("y")), _month(groups.get("m")), _number(groups.get("d"))
        yield Moment("date", (year, month, day), found.start(), found.end())
        end = found.end()
        while day is not None and (more := _MORE_DAYS.match(text, end)):
            yield Moment("date", (year, month, _number(more.group("d"))), more.start("d"), more.end())
            end = more.end()


def _number(text: str | None) -> int | None:
    return None if text is None else int(read_number(text.replace("零", "〇")))


def _month(text: str | None) -> int | None:
    if text is None or not text[0].isascii() or text[0].isdigit():
        return _number(text)
    return next(number for number, name in enumerate(_MONTHS, start=1) if name.startswith(text[:3]))


def _weekdays(text: str) -> Iterator[Moment]:
    for found in _WEEKDAY.finditer(text):
        han, word = found.group("han"), found.group("word")
        day = "一二三四五六日".index(han.replace("天", "日")) if han else _WEEKDAYS.index(word)
        yield Moment("weekday", (day,), found.start(), found.end())


def _clocks(text: str) -> Iterator[Moment]:
    for found in _CLOCK.finditer(text):
        groups = found.groupdict()
        named = next((minutes for name, minutes in _NAMED_HOURS.items() if groups[name]), None)
        if named is not None:
            yield Moment("clock", (named,), found.start(), found.end())
            continue
        hour = read_number(groups["h"] or groups["h2"] or groups["h3"])
        if hour.denominator > 1 or hour > 24:  # noqa: PLR2004 - a day has 24 hours
            continue
        minute = int(groups["m"] or 0) + (30 if groups["half3"] else 0)
        half = groups["half"] or groups["half2"] or ""
        late = half.startswith("p") or (groups["noon"] or groups["noon3"]) in ("下午", "晚上")
        shifted = int(hour) % 12 + (12 if late else 0) if half or late else int(hour)
        yield Moment("clock", (shifted * 60 + minute,), found.start(), found.end())
