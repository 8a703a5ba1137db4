"""Recognise figures that are an example of a limit: "if you are 24" for "under 25", 还有10天 for 提前7天.

A claim that supposes a case may name any figure on the side of the limit that the quotes speak of, and any at all
where they say what holds on the other side too.
"""

import re
from fractions import Fraction
from typing import Final

from knowledge.validation.bounds import Bound
from knowledge.validation.quantities import Figures, Quantity
from knowledge.validation.units import COUNT, are_compatible

_AGE: Final = re.compile(r"-?\s?year-old\b|岁")
# What supposes a case, in the clause of the figure or right before it.
_SUPPOSES: Final = re.compile(
    r"\b(?:ago|if|when|suppose|say|should\s(?:you|it))\b|的话|时候|只剩|还有|才(?![行能可会算有])|如果|要是|假如|孩子|小孩|宝宝|已经|已[^经]|,\s?再"
)
_IF: Final = re.compile(r"\b(?:if|when|suppose)\b|如果|要是|假如")
_ONE_THING: Final = re.compile(
    r"\b(?:a|an|your|my)\s(?:(?!rate|fee|price|charge|cost|sum|deposit|fine|total|discount|period|term|delay|surcharge|penalty|amount|minimum|maximum|limit)[a-z]+\s){1,3}(?:of|costing|worth|weighing|lasting)\s$|(?:买|住|刷|选|订|消费)[了满够]?\s?$"
)
_AT_AGE: Final = re.compile(r"\b(?:at|from|once\s(?:you|they|he|she)(?:'re|'s|\sare|\sis|\sturns?))\s$")
_SUCH: Final = re.compile(r"\b(?:your|an?)\s$")
_WEIGHED: Final = frozenset({"gram", "metre", "litre", "pound", "byte"})
_IS_LIMIT: Final = re.compile(r"[\s-]*(?:limit|max|allowance|cap|minimum|rule|plan)")
_CLAUSE: Final = re.compile(r"[,;:，；：。]|\.(?!\d)")
_MONTHS_A_YEAR: Final = 12
_PLAIN: Final = frozenset[Bound]({"none", "before", "after", "approx"})
_AT_MOST: Final = frozenset[Bound]({"max", "high"})
_AT_LEAST: Final = frozenset[Bound]({"min", "low", "before"})


def is_instance(claimed: Quantity, said: str, quoted: tuple[Figures, ...]) -> bool:
    """Tell whether a claim supposes a case with a figure that keeps, or names the other side of, a limit of its quotes."""
    if claimed.bound not in _PLAIN or not _is_supposed(claimed, said):
        return False
    if claimed.bound == "after" and not _IF.search(said[: claimed.start]):
        return False
    values = _values(claimed)
    return any(_keeps(values, figures) for figures in quoted)


def _is_supposed(claimed: Quantity, said: str) -> bool:
    if _AGE.search(said, claimed.start, claimed.end + len("-year-old")):
        return True
    before = said[: claimed.start]
    if _ONE_THING.search(before) or (claimed.base == COUNT.base and _AT_AGE.search(before)):
        return True
    if _SUCH.search(before) and claimed.base in _WEIGHED and not _IS_LIMIT.match(said, claimed.end):
        return True
    begins = max((each.end() for each in _CLAUSE.finditer(said, 0, claimed.start)), default=0)
    ends = _CLAUSE.search(said, claimed.end)
    return _SUPPOSES.search(said, begins, len(said) if ends is None else ends.start()) is not None


def _values(claimed: Quantity) -> tuple[tuple[str, Fraction], ...]:
    """Give a figure as the quotes may put it: an age is also the bare number of its years."""
    own = (claimed.base, claimed.value)
    return (own, (COUNT.base, claimed.value / _MONTHS_A_YEAR)) if _AGE.search(claimed.said) else (own,)


def _keeps(values: tuple[tuple[str, Fraction], ...], figures: Figures) -> bool:
    limits = figures.quantities
    return any(
        _is_on_side(value, limits, at) or (figures.has_other_case and _is_limit(limits[at].bound))
        for base, value in values
        for at, limit in enumerate(limits)
        if are_compatible(base, limit.base)
    )


def _is_limit(bound: Bound) -> bool:
    return bound in ("under", "over") or bound in _AT_MOST or bound in _AT_LEAST


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
