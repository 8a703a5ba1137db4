"""Recognise figures that are an example of a limit: "if you are 24" for "under 25", 还有10天 for 提前7天.

A claim that supposes a case may name any figure on the side of the limit that the quotes speak of, and any at all
where they say what holds on the other side too. On the other side of a limit the opposite holds: "on day 20 it is too
late" follows from "within 14 days".
"""

import re
from fractions import Fraction
from typing import Final

from knowledge.validation.bounds import Bound
from knowledge.validation.denials import SUPPOSED, first_denial
from knowledge.validation.quantities import Figures, Quantity, sentence_of
from knowledge.validation.units import COUNT, MONEY, ORDINAL, PERIODS, are_compatible

_AGE: Final = re.compile(r"-?\s?years?[\s-]olds?\b|岁")
# What supposes a case, in the clause of the figure or right before it.
_SUPPOSES: Final = re.compile(
    r"^(?:appeal|ask|apply|book|cancel|claim|come|complain|file|order|pay|report|return|send)\b(?=[^.;]*\sand\s)|\b(?:ago|if|when(?:ever)?|once|as\slong\sas|provided|suppose|say|should\s(?:you|it))\b|的话|时候|只剩|还有|才(?![行能可会算有])|如果|要是|假如|倘若|若|只要|一旦|凡|万一|孩子|小孩|宝宝|已经|已[^经]|,\s?再"
)
_IF: Final = re.compile(
    r"\b(?:if|when|suppose)\b|如果|要是|假如|^(?:appeal|ask|apply|book|cancel|claim|come|complain|file|order|pay|report|return|send)\b"
)
_ONE_THING: Final = re.compile(
    r"\b(?:a|an|your|my)\s(?:(?!rate|fee|price|charge|cost|sum|deposit|fine|total|discount|period|term|delay|surcharge|penalty|amount|minimum|maximum|limit)[a-z]+\s){1,3}(?:of|costing|worth|weighing|lasting)\s$"
    r"|(?:买|住|刷|选|订|消费|欠费?|到手|拖|晚|迟到|延误)[了满够]?\s?$|一[笔个件张单位][^,;。]{1,4}$|(?:^|[,;.?]\s?)with\s(?:only\s|just\s)?$"
)
_AT_AGE: Final = re.compile(r"\b(?:at|from|once\s(?:you|they|he|she)(?:'re|'s|\sare|\sis|\sturns?))\s$")
_SUCH: Final = re.compile(r"\b(?:your|an?)\s$")
_SUCH_HAN: Final = re.compile(r"的(?:单子?|订单|行李|包裹|东西|商品|余额|账单|快递)")
_WEIGHED: Final = frozenset({"gram", "metre", "litre", "pound", "byte"})
_IS_LIMIT: Final = re.compile(r"[\s-]*(?:limit|max|allowance|cap|minimum|rule|plan|window|deadline|period|mark)")
# "On day 20" and 第八天 name one day of a period.
_DAY: Final = re.compile(r"\bday\s$")
_NTH_DAY: Final = re.compile(r"\s?(?:天|日|days?\b)")
_ASKED: Final = re.compile(r"[^.;。；!！]{0,80}[?？]")
_CLAUSE: Final = re.compile(r"[,;:，；：。]|\.(?!\d)")
_TOO_MUCH: Final = re.compile(
    r"\btoo\s(?:late|much|many|long|big|heavy|large|old|young)\b|\btime\sis\sup\b|\bout\sof\s(?:time|warranty)\b|过期|过保|太[晚多大重长迟]|来不及|违反|违规"
)
_ONLY: Final = re.compile(r"\b(?:only|just)\s(?:[a-z]+\s)?(?:a\ssingle\s|the\s)?$")
_MONTHS_A_YEAR: Final = 12
_DAYS_A_MONTH: Final = 30
_PLAIN: Final = frozenset[Bound]({"none", "before", "after", "approx"})
_AT_MOST: Final = frozenset[Bound]({"max", "high"})
_AT_LEAST: Final = frozenset[Bound]({"min", "low", "before"})


def is_instance(claimed: Quantity, said: str, quoted: tuple[Figures, ...]) -> bool:
    """Tell whether a claim supposes a case with a figure that keeps, or names the other side of, a limit of its quotes."""
    if claimed.bound not in _PLAIN or (claimed.bound == "after" and not _IF.search(said[: claimed.start])):
        return False
    values, is_supposed = _values(claimed, said), _is_supposed(claimed, said)
    if is_supposed and any(_keeps(values, figures) for figures in quoted):
        return True
    if _IS_LIMIT.match(said, claimed.end):
        return False
    is_denied = (is_supposed or claimed.bound == "none") and _is_denied(claimed, said)
    return is_denied and any(_is_granted_elsewhere(values, figures) for figures in quoted)


def _is_supposed(claimed: Quantity, said: str) -> bool:
    if _AGE.search(said, claimed.start, claimed.end + len("-year-old")) or _is_day(claimed, said):
        return True
    before = said[: claimed.start]
    if _ONE_THING.search(before) or (claimed.base == COUNT.base and _AT_AGE.search(before)):
        return True
    if _SUCH.search(before) and claimed.base in _WEIGHED and not _IS_LIMIT.match(said, claimed.end):
        return True
    if _ASKED.match(said, claimed.end) or (claimed.base in MONEY | _WEIGHED and _SUCH_HAN.match(said, claimed.end)):
        return True
    begins = max((each.end() for each in _CLAUSE.finditer(said, 0, claimed.start)), default=0)
    ends = _CLAUSE.search(said, claimed.end)
    return _SUPPOSES.search(said, begins, len(said) if ends is None else ends.start()) is not None


def _is_day(claimed: Quantity, said: str) -> bool:
    if claimed.base == ORDINAL.base:
        return _NTH_DAY.match(said, claimed.end) is not None
    return claimed.base == COUNT.base and _DAY.search(said[: claimed.start]) is not None


def _values(claimed: Quantity, said: str) -> tuple[tuple[str, Fraction], ...]:
    """Give a figure as the quotes may put it: an age is also the bare number of its years, a month thirty days."""
    own = (claimed.base, claimed.value)
    if _is_day(claimed, said):
        return (("day", claimed.value),)
    if claimed.base == ORDINAL.base:
        return ((COUNT.base, claimed.value),)
    if _AGE.search(claimed.said):
        return (own, (COUNT.base, claimed.value / _MONTHS_A_YEAR))
    if claimed.base == "month":
        return (own, ("day", claimed.value * _DAYS_A_MONTH))
    return (own, ("month", claimed.value / _DAYS_A_MONTH)) if claimed.base == "day" else (own,)


def _keeps(values: tuple[tuple[str, Fraction], ...], figures: Figures) -> bool:
    limits = figures.quantities
    return any(
        _is_on_side(value, limits, at) or (figures.has_other_case and _is_limit(limits[at].bound))
        for base, value in values
        for at, limit in enumerate(limits)
        if are_compatible(base, limit.base)
    )


def _is_granted_elsewhere(values: tuple[tuple[str, Fraction], ...], figures: Figures) -> bool:
    """Tell whether a case lies beyond a limit within which the quotes deny nothing."""
    return any(
        (_is_beyond(value, limit) or (value > limit.value and _is_only(limit, figures.text)))
        and first_denial(SUPPOSED.sub(" ", sentence_of(limit, figures.text))) is None
        for base, value in values
        for limit in figures.quantities
        if are_compatible(base, limit.base) and (limit.base in PERIODS) == (base in PERIODS)
    )


def _is_only(limit: Quantity, text: str) -> bool:
    """Tell whether a text allows so many only: "only one car may be parked", 只能办一张."""
    return limit.base not in PERIODS and (limit.bound == "limit" or _ONLY.search(text[: limit.start]) is not None)


def _is_denied(claimed: Quantity, said: str) -> bool:
    """Tell whether a claim denies in the clause of a figure or behind it."""
    begins = max((each.end() for each in _CLAUSE.finditer(said, 0, claimed.start)), default=0)
    rest = said[begins:]
    return first_denial(SUPPOSED.sub(" ", rest)) is not None or _TOO_MUCH.search(rest) is not None


def _is_limit(bound: Bound) -> bool:
    return bound in ("under", "over") or bound in _AT_MOST or bound in _AT_LEAST


def _is_beyond(value: Fraction, limit: Quantity) -> bool:
    if limit.bound == "under":
        return value >= limit.value
    if limit.bound == "over":
        return value <= limit.value
    if limit.bound in _AT_MOST or (limit.bound == "none" and limit.base in PERIODS):
        return value > limit.value
    return limit.bound in _AT_LEAST and value < limit.value


def _is_on_side(value: Fraction, limits: tuple[Quantity, ...], at: int) -> bool:
    limit = limits[at]
    if limit.bound == "low":
        return limit.value <= value <= limits[at + 1].value
    return (
        (limit.bound == "under" and value < limit.value)
        or (limit.bound == "over" and value > limit.value)
        or (limit.bound == "max" and value <= limit.value)
        or (limit.bound in ("min", "before") and value >= limit.value)
    )
