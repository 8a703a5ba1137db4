"""Check that a claim keeps the sign of a rule that a proviso turns: "unless A, B", 除非 A 否则 B, "without A not B", 未经 A 不得 B.

Such a rule says two things, each the other with both halves denied: without A it is B, and with A it is not. So whatever a
claim makes of it, the number of its denials is even where B denies, and odd where B grants. "We cannot exchange items
without a receipt" may become "a receipt is needed to exchange items" and "no receipt, no exchange", but never "we can
exchange items without a receipt" or "with a receipt we cannot exchange items".
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from knowledge.validation.denials import DENYING_WORD, HARMLESS, first_denial
from knowledge.validation.readings import read_once
from knowledge.validation.stances import is_negative, may_deny, read_pieces, read_stances
from knowledge.validation.words import content_words, is_chinese

_UNLESS = (
    re.compile(r"除非(?P<case>[^,;。]{2,24}),(?:否则)?(?P<rule>[^;。]+)"),
    re.compile(r"(?P<rule>[^;。]+),除非(?P<case>[^,;。]{2,24})"),
    re.compile(r"(?:^|(?<=[;.\n]))\s?unless\s(?P<case>[^,;.]{3,80}),(?P<rule>[^;.]+)"),
    re.compile(r"(?:^|(?<=[;.\n]))(?P<rule>[^;.]+?),?\sunless\s(?P<case>[^,;.]{3,80})"),
)
# Only a rule that denies turns on what is wanting; one that grants says nothing of the other case.
_WANTING = (
    re.compile(r"(?:没有|无|未经|不经|未征得|未取得)(?P<case>[^,;。]{2,12}?)(?:的情况下|的|时)?,(?P<rule>[^,;。]+)"),
    re.compile(
        r"(?:^|(?<=[;.\n]))\s?without\s(?P<case>(?:an?|the|your|our|prior|written|valid)\s[a-z]+),?\s(?P<rule>[^,;.]+)"
    ),
    re.compile(
        r"(?:^|(?<=[;.\n]))(?P<rule>[^,;.]+?)\swithout\s(?P<case>(?:(?:an?|the|your|our|prior|written|valid)\s)?[a-z]+)(?=[,;.]|$)"
    ),
)
_STOP = re.compile(r"[;。!?\n]|\.(?!\d)")
_MAY_PROVIDE = re.compile(r"除非|没有|无|未|不经|\bunless\b|\bwithout\b")
# Time turns a rule too, and these deny or limit in ways that are no matter of counting.
_OTHER = re.compile(r"\b(?:before|until|till|even|except\w*|other\sthan)\b|之?前|直到|即使|即便|哪怕|就算|除(?!非)")
_COUNTED = re.compile(r"\b(?:only|unless|without|none|nothing|nobody|neither|otherwise)\b|只有|只|才|除非|否则|无")
_MOST: Final = 0.6


class _Proviso(NamedTuple):
    """A rule and the case that turns it."""

    case: str
    rule: str


def keeps_provisos(said: str, texts: tuple[str, ...]) -> bool | None:
    """Tell whether claim and quotes agree about the provisos of either; None if neither has one that the other is about.

    All texts are in normal form.
    """
    sentences = tuple(sentence for text in texts for sentence in _STOP.split(text) if sentence.strip())
    found = tuple(
        kept
        for sentence in sentences
        for kept in (*_kept(said, _read_provisos(sentence)), *_kept(sentence, _read_provisos(said)))
    )
    return all(found) if found else None


def _kept(said: str, provisos: tuple[_Proviso, ...]) -> Iterator[bool]:
    """Yield whether a text has the sign of each proviso that it is about, as far as counting denials can tell."""
    about = tuple(each for each in provisos if _is_about(said, each) and not _demands(said, each))
    rest = _COUNTED.sub(" ", said)
    if about and not _OTHER.search(rest) and not DENYING_WORD.search(rest):
        is_odd = _count_denials(said) % 2 == 1
        yield from (is_odd != (first_denial(each.rule) is not None) for each in about)


@read_once
def _read_provisos(text: str) -> tuple[_Proviso, ...]:
    return tuple(_provisos(text)) if _MAY_PROVIDE.search(text) else ()


def _provisos(text: str) -> Iterator[_Proviso]:
    for patterns, must_deny in ((_UNLESS, False), (_WANTING, True)):
        for found in (found for pattern in patterns for found in pattern.finditer(text)):
            case, rule = found["case"], HARMLESS.sub(" ", found["rule"])
            if first_denial(case) is None and (not must_deny or first_denial(rule) is not None) and _is_plain(rule):
                yield _Proviso(case, rule)


def _is_plain(rule: str) -> bool:
    """Tell whether a rule denies once at most, and with a negation alone."""
    return _count_negations(rule) <= 1 and not any(each.sign < 0 for each in read_pieces(rule))


def _is_about(said: str, proviso: _Proviso) -> bool:
    """Tell whether a claim speaks of both the case and the rule, in the same language."""
    if is_chinese(said) != is_chinese(proviso.rule):
        return False
    mine = content_words(said) | read_stances(said).acts
    case = content_words(proviso.case) - content_words(proviso.rule)
    acts = read_stances(proviso.rule).acts
    return bool(case) and len(case & mine) >= _MOST * len(case) and bool(acts & mine)


def _demands(said: str, proviso: _Proviso) -> bool:
    """Tell whether a claim demands what a rule only forbids otherwise: with consent one may exchange, and need not.

    "You must show a receipt to exchange items" demands the case.
    """
    rule, case = read_stances(proviso.rule), read_stances(proviso.case).stances
    demanded = {key for key, taken in read_stances(said).stances.items() if "must" in taken}
    return demanded.isdisjoint(case) and any("must" not in rule.stances[key] for key in demanded & rule.acts)


def _count_denials(said: str) -> int:
    """Count what denies in a claim; "unless" and 除非 deny their case."""
    undone = sum(each.sign < 0 for each in read_pieces(said))
    return _count_negations(HARMLESS.sub(" ", said)) + undone + len(re.findall(r"除非|\bunless\b", said))


def _count_negations(text: str) -> int:
    if not may_deny(text):
        return 0
    return sum(each.stance is not None and is_negative(each.stance) for each in read_pieces(text))
