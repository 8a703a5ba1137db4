"""Check that a claim takes in no case that its quotes leave out or do not know: "including", "weekends included", 也一样.

A claim that says in so many words that something belongs to a rule widens the rule, unless the quotes name it too. So does
one that tells of all what the nearest sentence tells of a part: "all transfers" for "the first five".
"""

import re
from collections.abc import Iterator
from typing import Final

from knowledge.validation.cases import nearest_sentence, read_cases, words_of
from knowledge.validation.lexicon import compile_by_start
from knowledge.validation.words import is_chinese, normalise

_TAKEN_IN = re.compile(
    r"\bincluding\s(?:an?\s|the\s|your\s|those\s|one\sof\s)*(?P<behind>[^,;.()]{3,60})"
    r"|(?:^|[,(]\s?)(?P<before>[a-z\s]{3,30}?)\sincluded\b(?=\s?[,.;)]|$)"
    r"|\beven\s(?!one\b|an?\b|if\b|though\b|when\b|after\b|before\b|while\b|where\b|without\b)(?P<even>[^,;.()]{3,40})"
    r"|包[括含](?P<han>[^,，。;()（）]{2,16}?)(?:在内|的|都|也|[,，。;()（）]|$)"
    r"|(?:^|[,，;(（]|连|就连)(?P<han_also>[^,，。;()（）]{2,12}?)(?:也(?=一样|一并|同样|照样|适用|都)|同样(?!的)|照样(?!的))"
)
_DENIES = re.compile(r"n't|\b(?:not|never|no|cannot|neither|nor)\b|[不未没无]")
_OF_ALL = compile_by_start(
    r"(?<![家者人方])所有(?![权者])|任何|全部|一切|统统|都[要能可]|无论"
    r"|\b(?:all\s(?!of\sa\b|other\b|the\sother\b)|every\b(?!\s(?:further|other|additional|later))|entire\b|whole\b|any\b(?!\s(?:one|case|time|further|other)))"
)
_OF_PART = re.compile(
    r"部分(?!退|金额|款)|有些|某些|首[次个批]|前[两三四五六七八九十\d]+[次个笔]|仅|只(?!要)"
    r"|\b(?:some|only|first\s(?:two|three|four|five|six|ten|\d+))\b"
)
_ANY_DENIED = compile_by_start(r"(?:n't|\b(?:not|never|no|nor|without|if)\b)[^,.;]*|[不没未无][^,。;]*")
_LEAST: Final = 2


def find_taken_in(claim: str, quotes: tuple[str, ...]) -> Iterator[str]:
    """Yield the cases that a claim takes in and its quotes do not."""
    said = normalise(claim)
    found = tuple(_TAKEN_IN.finditer(said))
    if not found:
        return
    text = "\n".join(map(normalise, quotes))
    if said in text or is_chinese(said) != is_chinese(text):
        return  # Cases are found by their words, which another language does not share.
    for each in found:
        own = words_of(each.group(each.lastgroup or 0))
        if own and _is_left_out(own, text, is_denied=_DENIES.search(said) is not None):
            yield each.group()


def _is_left_out(own: frozenset[str], text: str, *, is_denied: bool) -> bool:
    holders = [case for case in read_cases(text) if own & case.own]
    return not holders or (not is_denied and all(own & case.denied for case in holders))


def find_told_of_all(claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give the word by which a claim tells of all what its quotes tell of a part; None if there is none."""
    said = normalise(claim)
    swept = _OF_ALL.search(_ANY_DENIED.sub(" ", said))
    if swept is None or _OF_PART.search(said):
        return None
    texts = tuple(map(normalise, quotes))
    if not any(map(_OF_PART.search, texts)):
        return None
    wanted = words_of(said)
    nearest = nearest_sentence(wanted, texts)
    is_of_part = _OF_PART.search(nearest) is not None and _OF_ALL.search(nearest) is None
    return swept.group() if is_of_part and len(words_of(nearest) & wanted) >= _LEAST else None
