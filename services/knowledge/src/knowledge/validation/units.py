"""Know units and what they convert to: three days are 72 hours, a working day is no day, a yuan is no dollar."""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Unit:
    """A measure in terms of its base: `factor` bases make one of it."""

    base: str
    factor: Fraction


COUNT = Unit("count", Fraction(1))
PERCENT = Unit("percent", Fraction(1))
FOLD = Unit("fold", Fraction(1))
ORDINAL = Unit("ordinal", Fraction(1))
COUNTS = frozenset({"count", "piece", "box", "bottle", "pair", "person"})
"""Bases that count things: 两件, 两箱, "two pairs"; a bare count may stand for each of them, none for another."""
PERIODS = frozenset({"day", "business day", "business hour", "month"})

# Order matters: the longer name of a unit stands before the shorter one that begins like it.
_NAMES: tuple[tuple[str, str, Fraction], ...] = (
    (r"(?:个)?(?:工作日|交易日)|(?:business|working)[\s-]days?|workdays?|weekdays?", "business day", Fraction(1)),
    (r"(?:business|working)[\s-]hours?|(?:个)?工作小时", "business hour", Fraction(1)),
    (r"个?(?:小时|钟头)|(?:hours?|hrs?|h)\b", "day", Fraction(1, 24)),
    (r"分钟|(?:minutes?|mins?)\b", "day", Fraction(1, 1440)),
    (r"刻钟", "day", Fraction(1, 96)),
    (r"秒钟?|(?:seconds?|secs?)\b", "day", Fraction(1, 86400)),
    (r"fortnights?\b", "day", Fraction(14)),
    (r"(?:个)?(?:星期|礼拜)(?![一二三四五六日天])|周(?![一二三四五六日年岁末])|weeks?\b", "day", Fraction(7)),
    (r"个?(?:季度)|quarters?\b", "month", Fraction(3)),
    (
        r"周岁|岁|(?:years?[\s-]olds?|years?\sof\sage)\b|(?:周年|年)(?![级度限费])|(?:years?|yrs?)\b|年(?=度?[费])",
        "month",
        Fraction(12),
    ),
    (r"个(?:自然|会计|日历)?年[度头]", "month", Fraction(12)),
    (r"个月|months?\b", "month", Fraction(1)),
    (r"(?:个)?自然日|天|日(?![期常元用])|(?:calendar|consecutive|full)?\s*days?\b|nights?\b", "day", Fraction(1)),
    (r"美元|美金|(?:us\s?dollars?|usd|dollars?|bucks?)\b", "usd", Fraction(1)),
    (r"欧元|(?:euros?|eur)\b", "eur", Fraction(1)),
    (r"英镑|(?:pounds?(?:\ssterling)?|gbp)\b", "gbp", Fraction(1)),
    (r"港[元币]|hkd\b", "hkd", Fraction(1)),
    (r"日元|(?:yen|jpy)\b", "jpy", Fraction(1)),
    (
        r"元|块(?:钱|(?<![一两二三四五六七八九几]块)|(?=[^\u4e00-\u9fff]|[以左上起到每或都就也一]|$))|(?:yuan|rmb|cny)\b|人民币",
        "cny",
        Fraction(1),
    ),
    (r"角(?!度)|毛钱", "cny", Fraction(1, 10)),
    (r"cents?\b", "cent", Fraction(1, 100)),
    (r"pence\b|p\b(?![.-])", "gbp", Fraction(1, 100)),
    (r"%|percent\b|per\scent\b|个百分点", "percent", Fraction(1)),
    (r"‰", "percent", Fraction(1, 10)),
    (r"倍|(?:times|fold)\b", "fold", Fraction(1)),
    (r"tb\b", "byte", Fraction(10**12)),
    (r"gb\b|gigabytes?\b|gigs?\b", "byte", Fraction(10**9)),
    (r"mb\b|megabytes?\b", "byte", Fraction(10**6)),
    (r"kb\b|kilobytes?\b", "byte", Fraction(10**3)),
    (r"公里|千米|(?:km|kilomet(?:er|re)s?)\b", "metre", Fraction(1000)),
    (r"厘米|cm\b", "metre", Fraction(1, 100)),
    (r"毫米|mm\b", "metre", Fraction(1, 1000)),
    (r"平方米|平米", "square metre", Fraction(1)),
    (r"米|met(?:er|re)s?\b", "metre", Fraction(1)),
    (r"miles?\b|英里", "mile", Fraction(1)),
    (r"公斤|千克|(?:kg|kilos?|kilograms?)\b", "gram", Fraction(1000)),
    (r"吨|tons?\b|tonnes?\b", "gram", Fraction(10**6)),
    (r"斤", "gram", Fraction(500)),
    (r"克|grams?\b", "gram", Fraction(1)),
    (r"(?:pounds?|lbs?)\b", "pound", Fraction(1)),
    (r"毫升|ml\b", "litre", Fraction(1, 1000)),
    (r"升|lit(?:er|re)s?\b", "litre", Fraction(1)),
    (r"件(?!套)|(?:items?|pieces?)\b", "piece", Fraction(1)),
    (r"[箱盒]|(?:box(?:es)?|cartons?)\b", "box", Fraction(1)),
    (r"瓶|bottles?\b", "bottle", Fraction(1)),
    (r"双(?!倍|方)|pairs?\b", "pair", Fraction(1)),
    (r"个?人(?!民|次|工|员|均)|(?:people|persons?)\b", "person", Fraction(1)),
    (r"(?:degrees?|°|度)", "degree", Fraction(1)),
)
# A unit in Latin letters ends where they end, also before a Chinese character: 2gb以内.
_PATTERNS = tuple(pattern.replace(r"\b", "(?![a-z0-9_])") for pattern, _, _ in _NAMES)
_COMPILED = tuple(
    (re.compile(pattern), Unit(base, factor)) for pattern, (_, base, factor) in zip(_PATTERNS, _NAMES, strict=True)
)
UNIT = "(?:" + "|".join(_PATTERNS) + ")"

_IN_CENTS = {"cent", "usd", "eur"}
_CURRENCY_SIGNS = {
    "us$": "usd",
    "$": "usd",
    "€": "eur",
    "£": "gbp",
    "¥": "cny",
    "hk$": "hkd",
    "usd": "usd",
    "rmb": "cny",
    "cny": "cny",
    "eur": "eur",
    "gbp": "gbp",
    "人民币": "cny",
    "美元": "usd",
}
CURRENCY_SIGN = r"(?:us\$|hk\$|\$|€|£|¥|(?<![a-z])(?:usd|rmb|cny|eur|gbp)|人民币|美元)"


MONEY = frozenset(_CURRENCY_SIGNS.values()) | {"jpy", "cent"}
"""Bases of sums of money."""


@lru_cache(maxsize=2048)
def read_unit(text: str) -> Unit:
    """Give the unit that a text matching UNIT names."""
    return next((unit for pattern, unit in _COMPILED if pattern.fullmatch(text.strip())), COUNT)


def read_currency(sign: str) -> Unit:
    """Give the currency that a text matching CURRENCY_SIGN names."""
    return Unit(_CURRENCY_SIGNS[sign], Fraction(1))


def are_compatible(claimed: str, quoted: str) -> bool:
    """Tell whether a claim in one base may lean on a quote in another.

    A bare count in the claim fits any unit that the quote is more exact about, and counted things fit a bare count of
    the quote; "times" may count or multiply.
    """
    return (
        claimed == quoted
        or (claimed == "count" and quoted != "ordinal")
        or ("cent" in (claimed, quoted) and {claimed, quoted} <= _IN_CENTS)
        or (claimed in COUNTS and quoted == "count")
        or {claimed, quoted} <= {"fold", "count"}
    )
