"""Tell parties apart that share a name: the old provider is not the new one, an agent for administrators no global one."""

import re
from collections.abc import Iterator
from typing import Final

from knowledge.validation.lexicon import compile_by_start
from knowledge.validation.words import content_words, is_stop_word

_HEAD = r"(?:[a-z]+\s)?(?:owners?|managers?|providers?|operators?|carriers?|tenants?|landlords?|admins?|administrators?|employers?|insurers?|suppliers?|sellers?|hosts?|agenc(?:y|ies)|compan(?:y|ies)|committees?|holders?|users?|members?|contractors?)\b"
_HEAD_HAN = r"(?=业委会|业主|运营商|房东|物业|供应商|管理员|主人|老板|所有者|经营者|租[客户]|公司|单位|服务商|商家|店|保险|负责人|教师|老师|车主|评|委员)"
_OFFICE = r"(?=[^,。;]{0,12}(?:政府|部门|局))"
# Each a pair of readings of which one leaves no room for the other.
_APART: Final = (
    (
        compile_by_start(rf"\b(?:new|incoming|next)\s{_HEAD}|新(?:一届|一任|任|的)?{_HEAD_HAN}"),
        compile_by_start(
            rf"\b(?:old|former|outgoing|previous|original|current|present|existing)\s{_HEAD}|(?:老|旧|原来?|前任|上一?届|现有?)的?{_HEAD_HAN}"
        ),
    ),
    (
        re.compile(rf"(?:省级?|自治区|直辖市){_OFFICE}"),
        compile_by_start(rf"(?:(?<!直辖)市(?!场)级?|县级?(?!以上)|(?<!自治)区级?){_OFFICE}"),
    ),
)
_ONLY = compile_by_start(
    r"(?:只有|仅)(?P<han>[^,。;]{2,12}?)(?:才|可以?|能|有权)(?P<rest_han>[^,。;]+)"
    r"|\bonly\s(?:the\s|an?\s)?(?P<who>(?:[a-z]+\s){1,3}?)(?:can|may|is\sable\sto|are\sable\sto)\s(?P<rest>[^,.;]+)"
)
# A name in capitals before those who belong to a house; what begins a sentence of the quotes need be no name.
_OF_HOUSE: Final = re.compile(
    r"\b(?P<name>[A-Z][A-Za-z0-9]{2,})\s(?P<what>customer|client|user|member|subscriber|guest|account|employee)s?\b"
)
_BEGINS: Final = re.compile(r"(?:^|[.!?:\n]\s*)$")
_ALIKE: Final = 0.5


def find_other_qualifier(said: str, text: str) -> Iterator[str]:
    """Yield whom a claim names, where its quotes name only the one who is told from him by a qualifier."""
    for pair in _APART:
        for mine, other in (pair, pair[::-1]):
            found = mine.search(said)
            if found is None or other.search(said) is not None or mine.search(text) is not None:
                continue
            if other.search(text) is not None:
                yield found.group()
    yield from _other_only(said, text)


def find_other_house(claim: str, quotes: tuple[str, ...]) -> Iterator[str]:
    """Yield the names of houses that a claim puts before what its quotes have of another house alone: "HEY customers"."""
    theirs = {
        found["what"]: found["name"]
        for quote in quotes
        for found in _OF_HOUSE.finditer(quote)
        if _BEGINS.search(quote, 0, found.start()) is None
    }
    for found in _OF_HOUSE.finditer(claim) if theirs else ():
        other = theirs.get(found["what"])
        if other is None or other in claim or is_stop_word(found["name"].lower()):
            continue
        if not any(found["name"].lower() in quote.lower() for quote in quotes):
            yield found["name"]


def _other_only(said: str, text: str) -> Iterator[str]:
    mine = _ONLY.search(said)
    if mine is None:
        return
    who, rest = _read(mine)
    theirs = [_read(found) for found in _ONLY.finditer(text) if found.lastgroup == mine.lastgroup]
    for other, what in theirs:
        shared = len(content_words(rest) & content_words(what))
        if shared >= _ALIKE * max(1, len(content_words(rest))) and _is_another(who, other):
            yield who


def _read(found: re.Match[str]) -> tuple[str, str]:
    return (found["han"] or found["who"]).strip(), found["rest_han"] or found["rest"]


def _is_another(one: str, other: str) -> bool:
    """Tell whether both share a name, and each is called what the other is not."""
    mine, theirs = content_words(one), content_words(other)
    return bool(mine & theirs) and bool(mine - theirs) and bool(theirs - mine)
