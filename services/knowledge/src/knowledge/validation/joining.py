"""Check that a claim asks for all of several conditions where its quotes do, and for one of them where one is enough."""

import re

from knowledge.validation.closeness import close_sentences
from knowledge.validation.lexicon import make_bilingual
from knowledge.validation.words import normalise

_DEMANDS = re.compile(
    r"\b(?:requir\w*|must|needs?|only\s(?:if|when)|has\sto|have\sto|conditions?)\b|必须|应当|需要?|须|才|条件|要求"
)
_ALL = re.compile(
    r"\bas\swell\sas\b|\bboth\b|\ball\sof\b|\band\salso\b|\btogether\swith\b|\bin\saddition\sto\b|\band\b|同时|均|都|并且?|且|以及|及(?!时)|和"
)
_ALL_PLAINLY = make_bilingual(
    r"\bas\swell\sas\b|\bboth\b(?!\s(?:sides|parties)\b)|\ball\sof\b|\band\salso\b|\btogether\swith\b|同时|均须|并且"
)
_ONE = re.compile(r"\bor\b|\beither\b|\bany\sof\b|\bone\sof\b|或者?|任(?:一|意)|之一")
_ONE_PLAINLY = make_bilingual(
    r"\beither\b|\bone\sof\b.{0,40}\bis\senough\b|任(?:一|意)|之一即可|或者?.{0,12}(?:即可|就行|就可以)|\bis\senough\b|\bwill\sdo\b"
)


def find_other_joining(claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give the word by which a claim joins conditions that its quotes join otherwise; None if none does."""
    said = normalise(claim)
    every, one = _ALL_PLAINLY.search(said), _ONE_PLAINLY.search(said)
    if every is None and one is None:
        return None
    close = " ".join(close_sentences(claim, quotes))
    if not _DEMANDS.search(f"{said} {close}"):
        return None
    if every is not None and not _ONE.search(said) and _ONE.search(close) and not _ALL_PLAINLY.search(close):
        return every.group()
    if one is not None and not _ONE.search(close) and _ALL.search(close):
        return one.group()
    return None
