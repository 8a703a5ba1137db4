"""Tells whether a wish is named only to be denied: "我不会投诉你们", "I'm not here to complain".

A denial stands right before what it denies, with nothing between but words of wishing. Whatever else stands there may
be a threat ("你们不退款我就投诉", "I do not accept this and will complain"), and a threat is heard.
"""

import re
from collections.abc import Iterator
from typing import Final

from knowledge.answering.folding import HAN

_DENIES_ZH: Final = re.compile(
    r"(?P<denial>(?<![得能可])不|并非|(?<!有)没有?|别|无需|无须|不是|不用|不必)"
    r"(?:是|要|想|来|去|会|打算|准备|需要|必|用|再|真的|有|在|给|帮我|我|的|意思|转接?|接|找|叫|个|一个|提出?|说过?|提过|想过|上|打|走)*$"
)
# Whoever denies a denial means it.
_DENIED_AGAIN_EN: Final = re.compile(
    r"\b(?:no way (?:that |in hell )?(?:i|we)|(?:don't|not) think (?:that )?(?:i|we)) ?(?:will|would|'ll|am|'m)? ?$"
)
_INSISTS_ZH: Final = re.compile(r"^.{0,6}(?:不行|不可|不成|才怪)")
_WISHES_EN: Final = (
    r"want|wanting|wish|wishing|mean|intend|intending|plan|planning|here|trying|going|gonna|looking|like|need|have|to|be|of|said|say|i'd"
    r"|saying|threatening|about|a|an|any|my|our|the|all|this|is|it's|file|filing|make|making|lodge|raise|raising|submit|bring|take|taking|speak"
    r"|speaking|talk|talking|with|delete|erase|remove|really|even|being|live|real|human|formal|interested|in|asking|ask|for"
    "|involve|involving|hire|hiring|contact|contacting|drag|dragging|you|them|anyone|anybody|from|suggest|suggesting|call|calling|treat|it|as|i|would|will|i'll|intention|intent"
)
_DENIES_EN: Final = re.compile(
    r"(?P<denial>\b(?:do|does|did|wo|would|is|was|are)n't|(?<!can )(?<!could )(?<!why )\bnot|\bnever|\bno|\bwithout)"
    rf"(?: (?:{_WISHES_EN}))*(?: (?!only\b|just\b|until\b|unless\b)[\w'-]+){{1,2}}$"
)
_HOLDS_DENIAL: Final = re.compile(r"[不非没别无]|n't\b|\b(?:not|never|no|without)\b")
_HAN: Final = re.compile(f"[{HAN}]")
_LONGEST_KEY: Final = 6
# A denial further back denies something else.
_READ_BACK: Final = 160


# What somebody says they do not want before they ask something else.
_DENIABLE: Final = re.compile(
    r"\b(?:su(?:e|ing)|lawsuits?|legal|lawyers?|attorneys?|courts?|police|complain\w*|complaints?|press|journalists?|reporters?|media"
    r"|humans?|agents?|person|anyone|anybody|refund request)\b"
    r"|投诉|举报|起诉|控告|告你|官司|法律|法院|律师|报警|记者|媒体|曝光|人工|差评|闹"
)


def denies_a_wish(text: str) -> bool:
    """Tell whether a folded text denies what is often named only to be denied: a complaint, a lawyer, a person to talk to."""
    return any(is_denied(found, frozenset()) for found in _DENIABLE.finditer(text))


def may_deny(text: str) -> bool:
    """Tell whether a folded text holds a word that could deny something; looking closer takes far longer."""
    return _HOLDS_DENIAL.search(text) is not None


def is_denied(match: re.Match[str], pairs: frozenset[str]) -> bool:
    """Tell whether what was found in a folded text is denied there. `pairs` are the words topics are named with.

    A denial that belongs to what was found ("not a bot") denies nothing: without it nothing would have been found.
    """
    start = max(0, match.end() - _READ_BACK)
    begins = max(match.start() - start, 0)
    denial = _denial(match.string[start : match.end()], begins, match.string[match.end() :], pairs)
    if denial is None:
        return False
    before, after = match.string[: start + denial.start("denial")], match.string[start + denial.end("denial") :]
    return match.re.search(before.rstrip(" ") + after) is not None


def _denial(head: str, begins: int, tail: str, pairs: frozenset[str]) -> re.Match[str] | None:
    if not _HAN.search(head):
        denial = _DENIES_EN.search(head)
        return None if denial is None or _DENIED_AGAIN_EN.search(head[: denial.start("denial")]) else denial
    if _INSISTS_ZH.match(tail):
        return None
    found = (_DENIES_ZH.search(head[:at]) for at in _keys(head, begins, pairs))
    denial = next((each for each in found if each is not None), None)
    return None if denial is None or _DENIES_ZH.search(head[: denial.start("denial")]) else denial


def _keys(head: str, begins: int, pairs: frozenset[str]) -> Iterator[int]:
    """Yield where the name of a topic may begin: at the end of what was found, or with all of it."""
    yield from (at for at in range(max(0, len(head) - _LONGEST_KEY), len(head) - 1) if head[at : at + 2] in pairs)
    yield begins
