"""Check that a claim denies or grants what the one case of the quotes that it is about denies or grants."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from knowledge.validation.cases import Case, read_cases, weigh
from knowledge.validation.denials import (
    HARMLESS,
    PREFIXED,
    SUPPOSED,
    find_undenied,
    find_ungranted,
    first_denial,
    says_bare,
    turns_demand,
)
from knowledge.validation.stances import is_negative, read_pieces
from knowledge.validation.words import normalise

_CLEAR: Final = 0.15
_TELLING: Final = 1.0
_BESIDE: Final = 0.5
# What a text describes or supposes: 没穿过的, 没有约定时, "if it was not used", "goods that were not opened".
_DESCRIBED = re.compile(
    r"(?:^|(?<=[,;。:]))[^,;。:]*(?:的|时|的话|之?前|之?后|情况下)(?=,)|(?:没有?|未|不|无)[^,;。]{1,12}的(?=[\u4e00-\u9fff])"
    r"|(?:没有?|未|不(?!得|能|予|可|支持|会|再|需|用|必|准|允许|收|退|承担|负|享|计|适用|参与|包|含))[^,;。]*(?=,)"
    r"|\b(?:that|which|who)\b(?:\s\w+){0,5}?\s(?:\w+n't|not|never)\s\w+|\bwith\sno\b[^,;.]*"
)
# Beside these a case grants only part of what it speaks of, or denies without a negation.
_LIMITED = re.compile(
    r"\b(?:only|solely|except\w*|exclu\w+|unless|until|without|instead|rather|reject\w*|refus\w*|freez\w*|frozen|in\w+ible|void|invalid|lack\w*|fail\w*)\b"
    r"|仅|只|除外|除了|除非|拒|才|否则|作废|失效|无效|停止|免|自理"
)
_BEYOND = re.compile(
    r"超过|逾|以后|之后|[\d日天周月年时]后|不到|不足|未满|没到|前|过了?|\b(?:after|before|beyond|past|outside|later|over|under|once|more\sthan|less\sthan)\b"
)
_PARTY = re.compile(r"消费|商家|买家|卖家|顾客|客户|用户|会员|平台|[您你我]")


_LEFT_OUT = re.compile(r"不(?:包括|包含|含)[^,;。]*")
_EXCEPTS = re.compile(r"除外|例外|\bexcept\w*\b|\bunless\b")


class _Read(NamedTuple):
    cases: tuple[Case, ...]
    texts: tuple[str, ...]
    denies: tuple[bool, ...]
    denied: tuple[tuple[frozenset[str], ...], ...]
    """What each case denies: the words right behind its denials."""
    said: tuple[frozenset[str], ...]
    """What each case says."""


def find_unbalanced(claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give what is denied on one side alone, in whole sentences or in the case that a claim is about; None if balanced."""
    denied = find_ungranted(claim, quotes)
    if denied is not None and not stands_beside_denial(claim, quotes):
        return denied
    return find_undenied(claim, quotes) or find_turned(claim, quotes)


def find_turned(claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give what a claim denies and its case of the quotes grants, or the other way round; None for nothing."""
    said = normalise(claim)
    text = "\n".join(map(normalise, quotes))
    if said in text or _EXCEPTS.search(text):
        return None
    if first_denial(said) is None and first_denial(text) is None:
        return _without_prefix(said, text)
    if turns_demand(said, quotes):
        return None
    mine, theirs = _read(said), _read(text)
    for at, case in enumerate(mine.cases):
        shares = weigh(case, theirs.cases)
        opposed = [
            (share, said)
            for share, said in ((share, _opposed(mine, at, theirs, other)) for other, share in enumerate(shares))
        ]
        agreeing = max((share for share, said in opposed if said is None), default=0.0)
        share, said = max(((share, said) for share, said in opposed if said is not None), default=(0.0, ""))
        if share >= max(agreeing + _CLEAR, _TELLING):
            return said
    return None


def _without_prefix(said: str, text: str) -> str | None:
    """Give a word of a claim that its quotes have with a denying prefix alone: "worn" for "unworn"."""
    return next((word for word in PREFIXED.findall(text) if says_bare(word, said) and not says_bare(word, text)), None)


def stands_beside_denial(claim: str, quotes: tuple[str, ...]) -> bool:
    """Tell whether each case of a claim clearly is about cases of its quotes that deny nothing."""
    theirs = _read("\n".join(map(normalise, quotes)))
    mine = _read(normalise(claim))
    return all(_is_granted(weigh(case, theirs.cases), theirs) for case in mine.cases)


def _is_granted(shares: tuple[float, ...], theirs: _Read) -> bool:
    free = [not denies and not _LIMITED.search(text) for denies, text in zip(theirs.denies, theirs.texts, strict=True)]
    granted = max((share for share, is_free in zip(shares, free, strict=True) if is_free), default=0.0)
    rest = max((share for share, is_free in zip(shares, free, strict=True) if not is_free), default=0.0)
    return granted >= max(rest + _BESIDE, _TELLING)


def _opposed(mine: _Read, at: int, theirs: _Read, other: int) -> str | None:
    if mine.denies[at] == theirs.denies[other]:
        return None
    if mine.denies[at]:
        if _LIMITED.search(theirs.texts[other]) or any(map(_BEYOND.search, mine.texts)):
            return None
        denied, said = mine.denied[at], theirs.said[other]
    else:
        if _LIMITED.search(mine.texts[at]) or _BEYOND.search(theirs.texts[other]):
            return None
        denied, said = theirs.denied[other], mine.said[at]
    return next((" ".join(sorted(head)) for head in denied if head <= said), None)


@lru_cache(maxsize=1024)
def _read(text: str) -> _Read:
    bare = _blank(_LEFT_OUT, _blank(HARMLESS, _blank(_DESCRIBED, _blank(SUPPOSED, text))))
    cases = read_cases(text)
    pieces = tuple(bare[case.start : case.end] for case in cases)
    return _Read(
        cases,
        tuple(text[case.start : case.end] for case in cases),
        tuple(first_denial(piece) is not None for piece in pieces),
        tuple(tuple(_denied(piece)) for piece in pieces),
        tuple(frozenset(each.key for each in read_pieces(text[case.start : case.end])) for case in cases),
    )


def _blank(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda found: " " * len(found.group()), text)


def _denied(text: str) -> Iterator[frozenset[str]]:
    pieces = read_pieces(text)
    for at, piece in enumerate(pieces):
        if piece.stance is None or not is_negative(piece.stance):
            continue
        behind = [each for each in pieces[at + 1 : at + 6] if not each.is_light and each.stance is None]
        head = "".join(each.key for each in behind[:2])
        if behind and behind[0].sign > 0 and not _PARTY.match(head):
            yield frozenset(each.key for each in behind[: 1 if len(behind[0].key) > 1 else 2])
