"""Read acts that no list knows: the word behind a party's "must", before "by" and behind 由 is what it does."""

import re
from collections.abc import Iterator
from typing import Final

from knowledge.validation.act_wordings import LEXICON
from knowledge.validation.party_acts import Roles
from knowledge.validation.subjects import CONVERSE

_KNOWN = re.compile(LEXICON.source)
_HELPERS = r"must|shall|should|will|can|may|could|might|would|has|have|had|need|needs|is|are|to|also|always|only|then|who|that|not"
_BEHIND = re.compile(
    rf"(?:\s(?:{_HELPERS}))+\s(?P<english>[a-z]{{4,}})\b"
    r"|(?:自己|自行|本人|应当?|必?须|可以?|需要?|要|得|会|能|来|统一|负责|直接|将|先|再|还|都|也|就|只)+(?P<chinese>[\u4e00-\u9fff]{2})"
)
_BEHIND_BY = re.compile(r"(?P<chinese>[\u4e00-\u9fff]{2})")
_BEFORE_BY = re.compile(r"\b(?P<english>[a-z]{4,})\s(?:[a-z]+ly\s)?by\s(?:(?:the|an?|our|your)\s)?$")
_NO_ACT = re.compile(
    r"[的自之在有无没不未是为与和或及从向对给把被等后前时内中下上]|^(?:cannot|your|their|with|from|this|that|than|when|will|only|also|more|after|before)$|ly$"
)
_ENDING = re.compile(r"(?:ing|ed|es|s|e)$")
_SIGHT: Final = 32
_STEM: Final = 4


def find_open_acts(said: str, roles: Roles, text: str) -> Iterator[str]:
    """Yield the stems of what the parties of a claim do in words that its quotes have and no list knows."""
    for each in roles.subjects:
        yield from _stems(_BEHIND.match(said, each.end), text)
        yield from _stems(_BEFORE_BY.search(said, max(0, each.start - _SIGHT), each.start), text)
        if said.endswith("由", 0, each.start):
            yield from _stems(_BEHIND_BY.match(said, each.end), text)


def _stems(found: re.Match[str] | None, text: str) -> Iterator[str]:
    if found is None or found.lastgroup is None:
        return
    act = found.group(found.lastgroup)
    if CONVERSE.search(act) or _NO_ACT.search(act) or _KNOWN.match(found.string, found.start(found.lastgroup)):
        return
    stem = _ENDING.sub("", act) if act.isascii() else act
    if stem in text and (len(stem) >= _STEM or not act.isascii()):
        yield stem
