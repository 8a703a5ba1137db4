"""Check for whom or what a claim counts: two gigabytes for each user are not two for each team."""

import re
from collections.abc import Iterator
from typing import Final

from knowledge.validation.lexicon import compile_by_start

_EACH: Final = compile_by_start(
    r"\b(?:per|each|every)\s(?:(?:single|eligible|individual)\s)?(?P<thing>[a-z]{3,})"
    r"|每(?:一?[个位名张间台只家份]|一)?(?P<thing_han>[\u4e00-\u9fff]{1,4})"
)
# What things are counted by, so far apart that one never stands for another.
_KINDS: Final = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        (
            "person",
            r"person|people|head|guest|visitor|passenger|adult|member|user|customer|[人位名]|消费者|用户|会员|旅客|乘客",
        ),
        ("account", r"account|账号|账户|帐号|帐户"),
        ("order", r"order|booking|reservation|订单|单(?!位|元)|笔订单"),
        ("address", r"address|地址|收货地址"),
        ("household", r"household|famil|户(?!外)|家庭"),
        ("team", r"team|organi[sz]ation|compan|团队|单位|企业|公司"),
        ("room", r"room|房间|客房|间房"),
        ("device", r"device|设备|台设备|终端"),
        ("vehicle", r"car\b|vehicle|辆|车辆|车"),
        ("item", r"item|piece|product|件|商品"),
    )
)


def find_other_shares(claim: str, quotes: tuple[str, ...]) -> Iterator[str]:
    """Yield what a claim counts by, where its quotes count by something else alone."""
    mine = dict(_kinds(claim))
    if not mine:
        return
    theirs = frozenset(kind for quote in quotes for kind, _ in _kinds(quote))
    if theirs and not theirs & mine.keys():
        yield from mine.values()


def _kinds(text: str) -> Iterator[tuple[str, str]]:
    for found in _EACH.finditer(text):
        thing = found["thing"] or found["thing_han"]
        kind = next((name for name, pattern in _KINDS if pattern.match(thing)), None)
        if kind is not None:
            yield kind, found.group()
