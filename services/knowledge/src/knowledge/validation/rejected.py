"""Check that whom a claim expressly rules out ("not the seller", 而不是买家) is not the one whom its quotes name there."""

import re
from typing import Final

from knowledge.validation.act_wordings import LEXICON, PARTY_NAMES
from knowledge.validation.cases import Case, best, read_cases, weigh
from knowledge.validation.denials import first_denial
from knowledge.validation.lexicon import compile_by_start, find_names
from knowledge.validation.party_acts import Roles, read_roles
from knowledge.validation.party_names import may_be
from knowledge.validation.words import content_words

_WORDING = re.compile(LEXICON.source)
_LOOK = compile_by_start(r"\b(?:rather\sthan|instead\sof)\b|[,\s]not\s|(?:而不是|而非|不是|不归|不用问)")
_RULED_OUT = re.compile(
    r"(?:\b(?:rather\sthan|instead\sof)|(?:,|\band|\bbut)\snot)\s(?:by\s|from\s|to\s|with\s)?(?:the\s|our\s|your\s)?$"
    r"|(?:而不是|而非|,不是|不归|不用问)$"
)
_SIGHT: Final = 32
_CLEAR: Final = 0.15
_TELLING: Final = 1.0


def find_rejected(said: str, text: str) -> str | None:
    """Give the party that a claim rules out and its quotes name in that case; None if it rules out none so."""
    if _LOOK.search(said) is None or not (ruled_out := _ruled_out(said)):
        return None
    if ruled_out & _ruled_out(text):
        return None
    claimed, quoted = read_roles(said), read_roles(text)
    names = frozenset[str]().union(*(content_words(name) for name in (*claimed.names, *quoted.names)))
    whole = Case(0, len(said), said, None)
    cases = read_cases(text)
    shares = weigh(whole, cases, leave_out=names)
    put_in = claimed.parties - ruled_out
    agreeing = best(shares, cases, lambda case: _names(case, text, put_in))
    opposed = best(
        shares,
        cases,
        lambda case: (
            _names(case, text, ruled_out)
            and not _names(case, text, put_in)
            and first_denial(text[case.start : case.end]) is None
        ),
    )
    return min(ruled_out) if opposed >= max(agreeing + _CLEAR, _TELLING) else None


def _ruled_out(said: str) -> frozenset[str]:
    return frozenset(
        name
        for name, found in find_names(LEXICON, _WORDING, said)
        if name in PARTY_NAMES and _RULED_OUT.search(said, max(0, found.start() - _SIGHT), found.start())
    )


def _names(case: Case, text: str, parties: frozenset[str]) -> bool:
    there: Roles = read_roles(text[case.start : case.end])
    return any(may_be(one, other) for one in parties for other in there.parties)
