"""Tell from the words around it whether the wording of an act is done there: "written consent" is a thing, not an act."""

import re
from typing import Final

from knowledge.validation.lexicon import compile_by_start

# Behind these stands a noun: "for exchanges", "the return".
_NOUN: Final = compile_by_start(
    r"\b(?:for|of|the|an?|any|no|your|our|their|free|this|that|each|every|such|in|under|from|with)\s$|'s\s$|\bupon\s(?:[a-z]+\s)?$|(?:收到|接到|安排|等待|拒绝)$"
)
# Words that are both, without an ending: they are verbs behind a helper, a pronoun, a list or several who do it.
_EITHER: Final = frozenset(
    re.split(
        r"\|",
        r"access|answer|appeal|approval|ban|block|book|call|change|charge|check|claim|clean|consent|contact|cover|delivery|dispatch|exchange|file|fix|freeze|grant|increase"
        r"|issue|licence|license|list|load|lodge|measure|order|pack|permission|present|process|raise|release|repair|report|request|reserve|return|review|set|share|ship|show|sign|store|supply|swap|test|transfer|view",
    )
)
_VERB_BEFORE: Final = re.compile(
    r"(?:^|[,.;:!?\n(]\s?|\b(?:can|could|may|might|must|shall|should|will|would|need|to|do|does|did|not|cannot|never|and|or|but|then|please"
    r"|also|always|only|still|first|just|i|you|we|they|who|that|which|let|help|make|us|them|him|her|me|it|than|if|either|both|neither"
    r"|[a-z]+(?:ly|s|n't|'ll|'d))\s)$"
)
_TAKES: Final = re.compile(
    r"\b(?:needs|requires|gets|gives|has|grants|asks|wants|includes|involves|allows|is|was|this|its|his|less|costs|covers)\s$"
)
# What has such an object is done.
_OBJECT: Final = re.compile(
    r"\s(?:the|an?|your|our|its|their|his|her|my|it|them|him|us|you|any|all|each|every|both|this|these|those|such|\d+)\b"
)
# "The settling of disputes", "the same handling as": a doing behind an article that is done to nothing is a noun.
_DOING: Final = re.compile(r"\b(?:the|an?|any|no|this|that|such|same|further|for)\s$")
_DOES_NOTHING: Final = re.compile(
    r"\s(?:of|as|is|are|was|were|can|may|will|must|shall|fees?|costs?|times?|purposes?|periods?|and)\b|[,.;:?!)]|$"
)
# "The amount paid": behind a noun what is done only describes it; who has done something stands close before it.
_DONE: Final = re.compile(r"\w*(?:ed|paid|sent|told|kept|chosen|brought|built|withheld|written)(?:\s\w+)*")
_DID: Final = re.compile(
    r"(?:^|[,.;:!?\n(]\s?|\b(?:who|which|that|and|or|but|has|have|had|having|not|never|also|already|just|then|later|now|first|either|been|be|is|are|was|were|being"
    r"|i|you|we|they|it|he|she|get|gets|got|if|once|when|[a-z]+(?:ly|n't|'ve|'d|'re))\s)$"
)
_ORDERS = re.compile(r"(?:^|[.;:!?]\s|\bthen\s|\bplease\s)$")
_ORDERED = re.compile(r"\s(?:the|your|us|it|them|any|all|our|an?)\b")
_SIGHT: Final = 24


def is_noun(text: str, act: re.Match[str], party_end: int) -> bool:
    """Tell whether the wording of an act is a noun there, or describes one: nobody does it."""
    word, near = act.group(), max(0, act.start() - _SIGHT)
    if follows_article(text, act) and not _is_verb(text, act):
        return True
    if not word.isascii() or act.start() == party_end + 1 or _OBJECT.match(text, act.end()) is not None:
        return False
    if word in _EITHER:
        return (
            _VERB_BEFORE.search(text, near, act.start()) is None or _TAKES.search(text, near, act.start()) is not None
        )
    return _DONE.match(word) is not None and _DID.search(text, near, act.start()) is None


def follows_article(text: str, word: re.Match[str]) -> bool:
    """Tell whether a word stands behind one that asks for a noun."""
    return _NOUN.search(text, max(0, word.start() - _SIGHT), word.start()) is not None


def _is_verb(text: str, act: re.Match[str]) -> bool:
    """Tell whether an act behind a word like "that" or "the" is done there: "paying the", "it is the seller that pays"."""
    word = act.group()
    if word.endswith("ing") and word != "booking":
        near = max(0, act.start() - _SIGHT)
        return _DOING.search(text, near, act.start()) is None or _DOES_NOTHING.match(text, act.end()) is None
    return word.endswith("s") and text.endswith("that ", 0, act.start())


def asks_reader(text: str, act: re.Match[str]) -> bool:
    """Tell whether an act begins a sentence, so that whoever reads it is asked to do it."""
    return (
        _ORDERED.match(text, act.end()) is not None
        and _ORDERS.search(text, max(0, act.start() - _SIGHT), act.start()) is not None
    )
