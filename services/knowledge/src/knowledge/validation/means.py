"""Check that a claim names no way of doing something that its quotes leave open: by telephone, in a shop, online.

A rule that names no way may mean any; a claim that names one has made it up. Only ways are looked for, not the things
of the same name: "by phone", not "a phone".
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from knowledge.validation.lexicon import sort_alternatives
from knowledge.validation.words import normalise


class _Way(NamedTuple):
    named: re.Pattern[str]
    """How a claim says that something is done this way."""
    known: re.Pattern[str]
    """What a quote that has it in mind would hold, however loosely."""


_WAYS: tuple[_Way, ...] = tuple(
    _Way(re.compile(named), re.compile(known))
    for named, known in (
        (
            r"\b(?:by|via|through|in\san)\se-?mail\b|\be-?mail(?:ing)?\sus\b|发(?:电子)?邮件|电子邮件|发到?邮箱",
            r"e-?mail|邮件|邮箱|电邮|@",
        ),
        (
            r"\b(?:by|over\sthe|on\sthe)\s(?:tele)?phone\b|\b(?:call|ring)(?:ing)?\sus\b|\bphone\scalls?\b|打(?:个)?电话|致电|拨打|电话(?:里|中)?(?=办理|申请|取消|告知|通知|联系|预约)",
            r"phone|\bcall|\bring|hotline|电话|热线|致电|拨打|手机",
        ),
        (r"\b(?:by|via)\s(?:sms|text)\b|\btext\smessages?\b|短信", r"sms|text|短信|手机"),
        (
            r"\blive\schat\b|\b(?:by|via|over|in)\s(?:the\s)?chat\b|在线客服|在线聊天",
            r"chat|customer\sservice|客服|在线",
        ),
        (
            r"\bin[\s-]store\b|\bat\s(?:an?|any|the|our|your)\s(?:\w+\s)?(?:stores?|branch(?:es)?|counters?|shops?|desks?)\b|\bin\sperson\b|到店|(?:在|到|去|往|来|至|各|任一)[^,，。;]{0,3}门店|门店(?=办|领|自|退|申|取)|柜台|网点|营业厅",
            r"store|branch|counter|shop|desk|person|店|柜|网点|厅|现场|线下",
        ),
        (r"\bby\s(?:post|mail|letter|registered\smail)\b|信函|寄信|邮寄", r"post|mail|letter|writ|信|寄|邮|书面"),
        (r"\bfax\w*|传真", r"fax|传真"),
        (
            r"\b(?:in|through|via|on|using)\s(?:the|our|your)\s(?:\w+\s)?app\b|(?:在|通过|用)[^,，。;]{0,4}(?:app|应用)",
            r"\bapps?\b|应用|客户端|软件",
        ),
        (
            r"\bonline\b|\b(?:on|through|via)\s(?:the|our)\s(?:web)?site\b|官网|网上|线上",
            r"online|web|site|internet|remote|e-commerce|网|线上|在线|电子商务",
        ),
    )
)
_MAY_NAME = re.compile(sort_alternatives("|".join(way.named.pattern for way in _WAYS)))


# A way that a claim shuts out it does not name as one.
_SHUT_OUT = re.compile(
    r"[^,.;]*(?:n't|\b(?:not|never|no))\s(?:\w+\s)?(?:enough|count|valid|do|suffice|sufficient|accepted)|[^,。;]*(?:不够|不行|不算|不作数|无效)"
)


def find_absent_ways(claim: str, quotes: tuple[str, ...]) -> Iterator[str]:
    """Yield the ways of a claim that no quote has in mind."""
    said = normalise(claim)
    if not _MAY_NAME.search(said):
        return
    text = "\n".join(map(normalise, quotes))
    if said in text:
        return
    for way in _WAYS:
        found = way.named.search(said)
        if found is not None and not way.known.search(text) and not _SHUT_OUT.match(said, found.end()):
            yield found.group()
