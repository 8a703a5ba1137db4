"""Check that a claim takes in no case that its quotes leave out or do not know: "including", "weekends included", 也一样.

A claim that says in so many words that something belongs to a rule widens the rule, unless the quotes name it too.
"""

import re
from collections.abc import Iterator

from knowledge.validation.cases import read_cases, words_of
from knowledge.validation.words import normalise

_TAKEN_IN = re.compile(
    r"\bincluding\s(?:an?\s|the\s|your\s|those\s|one\sof\s)*(?P<behind>[^,;.()]{3,60})"
    r"|(?:^|[,(]\s?)(?P<before>[a-z\s]{3,30}?)\sincluded\b(?=\s?[,.;)]|$)"
    r"|\beven\s(?!one\b|an?\b|if\b|though\b|when\b|after\b|before\b|while\b|where\b|without\b)(?P<even>[^,;.()]{3,40})"
    r"|包[括含](?P<han>[^,，。;()（）]{2,16}?)(?:在内|的|都|也|[,，。;()（）]|$)"
    r"|(?:^|[,，;(（]|连|就连)(?P<han_also>[^,，。;()（）]{2,12}?)(?:也(?=一样|一并|同样|照样|适用|都)|同样(?!的)|照样(?!的))"
)
_DENIES = re.compile(r"n't|\b(?:not|never|no|cannot|neither|nor)\b|[不未没无]")


def find_taken_in(claim: str, quotes: tuple[str, ...]) -> Iterator[str]:
    """Yield the cases that a claim takes in and its quotes do not."""
    said = normalise(claim)
    found = tuple(_TAKEN_IN.finditer(said))
    if not found:
        return
    text = "\n".join(map(normalise, quotes))
    if said in text:
        return
    for each in found:
        own = words_of(each.group(each.lastgroup or 0))
        if own and _is_left_out(own, text, is_denied=_DENIES.search(said) is not None):
            yield each.group()


def _is_left_out(own: frozenset[str], text: str, *, is_denied: bool) -> bool:
    holders = [case for case in read_cases(text) if own & case.own]
    return not holders or (not is_denied and all(own & case.denied for case in holders))
