"""Check that a claim tells of no whole what its quotes tell of a share: "half of the deposit is returned" returns no deposit."""

import re
from collections.abc import Iterator
from typing import Final

from knowledge.validation.cases import nearest_sentence, words_of
from knowledge.validation.denials import first_denial
from knowledge.validation.quantities import Quantity, find_figures
from knowledge.validation.stances import read_stances
from knowledge.validation.units import MONEY, PERCENT
from knowledge.validation.words import is_chinese, normalise

# What a share is taken of: behind it ("half of the deposit", 50%的押金, 一半押金) or in front of it (押金的50%).
_OF = re.compile(r"\s?(?:of\s)?(?:(?:the|your|its|their|our|his|her|this|that)\s)?(?P<word>[a-z]{3,})\b")
_OF_HAN = re.compile(r"(?:的|(?<=半))(?P<word>[\u4e00-\u9fff]{2})")
_BEFORE_HAN = re.compile(r"(?P<word>[\u4e00-\u9fff]{2})(?:总额|金额|总价)?的$")
_TAKES_OF = re.compile(r"\bof\b|^\s?(?:the|your|its|their)\s")
_PARTLY = re.compile(
    r"部[分份]|比例|折|减|优惠|便宜|[未没不]|\b(?:part\w*|shares?|portion|percentage|proportion|some|fraction|reduced|reduction|discount\w*|less|off|lower|cheaper|up\sto)\b"
)
_LEAST: Final = 2


def find_whole_for_share(claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give what a claim tells of as a whole and its quotes of a share alone; None if there is nothing."""
    said = normalise(claim)
    texts = tuple(map(normalise, quotes))
    if not any(map(_may_share, texts)) or _tells_share(said):
        return None
    nearest = nearest_sentence(words_of(said), texts)
    if is_chinese(said) != is_chinese(nearest) or not _acts_alike(said, nearest):
        return None
    return next((whole for whole in _wholes(nearest) if whole in said and nearest.count(whole) == 1), None)


def _may_share(text: str) -> bool:
    return any(each.base == PERCENT.base for each in find_figures(text).quantities)


def _tells_share(said: str) -> bool:
    """Tell whether a claim says itself that it is about a part or a sum, or denies."""
    sums = MONEY | {PERCENT.base}
    return (
        _PARTLY.search(said) is not None
        or first_denial(said) is not None
        or any(each.base in sums for each in find_figures(said).quantities)
    )


def _acts_alike(said: str, nearest: str) -> bool:
    return (
        bool(read_stances(said).acts & read_stances(nearest).acts) and len(words_of(said) & words_of(nearest)) >= _LEAST
    )


def _wholes(text: str) -> Iterator[str]:
    for share in find_figures(text).quantities:
        if share.base == PERCENT.base and (found := _whole(text, share)) is not None:
            yield found["word"]


def _whole(text: str, share: Quantity) -> re.Match[str] | None:
    behind = text[share.end :]
    if text.isascii():
        is_of = share.said.endswith(" of") or _TAKES_OF.match(behind.lstrip())
        return _OF.match(behind) if is_of else None
    return _OF_HAN.match(text, share.end) or _BEFORE_HAN.search(text[: share.start])
