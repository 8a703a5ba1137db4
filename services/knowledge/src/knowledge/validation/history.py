"""Check that a claim tells what holds now from what held before as its quotes do."""

import re
from collections.abc import Iterator

from knowledge.validation.lexicon import compile_by_start, make_bilingual
from knowledge.validation.quantities import Quantity, find_figures
from knowledge.validation.words import normalise

_TELLS_OF_BEFORE = make_bilingual(
    r"used(?<!\wused)(?<!\bbe\sused)(?<!\bis\sused)(?<!\bare\sused)(?<!\bget\sused)(?<!\bgets\sused)\sto\s(?=be\b|cost\b|have\b|apply\b|charge\b)|formerly(?<!\wformerly)\b|in(?<!\win)\sthe\spast\b|从前|过去(?![后了])|原先|原本|(?<!不)曾经"
)
_KNOWS_BEFORE = re.compile(
    r"\b(?:was|were|had|previous\w*|former\w*|used\sto|past|no\slonger|replac\w*|supersed\w*|(?:has|have)\sbeen|until|from\s\S+\sto)\b|原|曾|以前|此前|之前|过去|不再|由[^,，。;]*(?:为|至|到)|从[^,，。;]*(?:为|至|到)"
)
# "Was reduced from £12 to £8": the first holds no longer.
_CHANGED = compile_by_start(
    r"\b(?:reduc|rais|increas|lower|chang|cut|rose|risen|fell|drop|adjust|went|gone)\w*\s(?:\w+\s){0,3}?from\s(?P<old>[^,.;]{1,24}?)\sto\s(?P<new>[^,;]{1,24})"
    r"|[由从](?P<old_han>[^,，。;]{1,12}?)(?:调整|提高|降低|上调|下调|上涨|改|变|涨|降)(?:至|为|到)(?P<new_han>[^,，。;]{1,12})"
)
_SAYS_BEFORE = compile_by_start(
    r"\b(?:was|were|had|used\sto|until|before|previous\w*|former\w*|old|earlier|from|no\slonger|not)\b|n't|原|曾|以前|此前|之前|过去|不再|由|从|不"
)


def find_rewritten(claim: str, quotes: tuple[str, ...]) -> Iterator[str]:
    """Yield what a claim says of times before that no quote knows, and what it says of today that no longer holds."""
    said = normalise(claim)
    texts = tuple(map(normalise, quotes))
    before = _TELLS_OF_BEFORE.search(said)
    if before is not None and not any(map(_KNOWS_BEFORE.search, texts)):
        yield before.group()
    if not _SAYS_BEFORE.search(said):
        yield from _outdated(said, texts)


def _outdated(claim: str, texts: tuple[str, ...]) -> Iterator[str]:
    for found in (found for text in texts for found in _CHANGED.finditer(text)):
        old, new = (_figures(found.group(name) or found.group(f"{name}_han")) for name in ("old", "new"))
        mine = {(each.base, each.value): each.said for each in find_figures(claim).quantities}
        if not mine.keys() & new.keys():
            yield from (mine[key] for key in mine.keys() & old.keys())


def _figures(text: str) -> dict[tuple[str, object], Quantity]:
    return {(each.base, each.value): each for each in find_figures(text).quantities}
