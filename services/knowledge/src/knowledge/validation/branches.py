"""Check that a claim keeps each case of its quotes with what holds for it, though nothing in it is a figure.

A rule has two slots: for whom or when it holds, and what holds then. Where a claim fills the first slot with the words
that only one rule of the quotes has there, and the second with those that only another rule has there, it is crossed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from knowledge.validation.cases import read_cases, words_of
from knowledge.validation.readings import read_once
from knowledge.validation.words import normalise

_LEADING = re.compile(r"(?:if|when|where|once|for|after|in\scase)\b[^,]*,")
_TRAILING = re.compile(r"\b(?:if|when|where|once|provided)\b.*$")
_HAN_LEADING = re.compile(r".*?[的时后内外前下],")
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|may|can|must|will|shall|should|cannot|can't|won't|do|does|includes?|excludes?|covers?|"
    r"costs?|appl(?:y|ies)|takes?|keeps?|gets?|receives?|pays?|needs?|offers?|provides?|requires?|contains?|responds?|allows?)\b"
)
_HAN_VERB = re.compile(r"应|可(?=以|在)|不得|须|将|由|按|为|是|不予|需|免|收(?=取|\d)|享|不可|不?能|得(?!到)")
# What goes on with the rule before has no case of its own.
_GOES_ON = re.compile(r"(?:and|but|or|then)\b|[并且但还]")
# What is excepted holds for the others: its slots are turned.
_EXCEPTS = re.compile(r"\b(?:unless|except)|除")
_DENIED = re.compile(r"未|没|不|无|n't\b|\b(?:not|no|without|never|fails?|unless)\b")
_PAIR = re.compile(r"(?=([\u4e00-\u9fff]{2}))")
# One word in common is chance.
_LEAST: Final = 2
_SHORTEST: Final = 2


@dataclass(frozen=True, eq=False)
class _Rule:
    """A rule with its two slots, whose words are read when they are asked for."""

    slots: tuple[str, str]
    is_named: bool
    """Whether the case is a condition of its own, and no mere subject that may go on with the rule before."""

    @cached_property
    def case(self) -> frozenset[str]:
        """Give the words that say for whom or when it holds."""
        return words_of(self.slots[0])

    @cached_property
    def denies(self) -> bool:
        """Tell whether it holds for what is denied."""
        return _DENIED.search(self.slots[0]) is not None

    @cached_property
    def outcome(self) -> frozenset[str]:
        """Give the words that say what holds then."""
        return words_of(self.slots[1])


def find_swapped_branches(claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give the rule of a claim that puts one case of its quotes with what holds for another; None if there is none."""
    said = normalise(claim)
    texts = tuple(map(normalise, quotes))
    if any(said in text for text in texts):
        return None
    theirs = tuple(rule for text in texts for rule in _read_rules(text).values())
    if len(theirs) < 2:  # noqa: PLR2004 - a swap takes two
        return None
    swapped = next((text for text, mine in _read_rules(said).items() if _is_swapped(mine, theirs)), None)
    return swapped or next((text for text, *slots in _conditioned(said) if _is_turned(slots, theirs)), None)


def _conditioned(said: str) -> Iterator[tuple[str, str, str]]:
    """Yield the rules of a claim that have a condition of their own; with none, what stands before its first comma is one."""
    named = [(text, *rule.slots) for text, rule in _read_rules(said).items() if rule.is_named]
    before, comma, behind = said.partition(",")
    yield from named or ([(said, before, behind)] if comma else [])


def _is_turned(mine: Sequence[str], theirs: tuple[_Rule, ...]) -> bool:
    """Tell whether a claim ties to a condition what its quotes tie to the same condition denied, or the other way round."""
    condition, outcome = map(_tell, mine)
    denies = _DENIED.search(mine[0]) is not None
    same, other = ([rule for rule in theirs if rule.is_named and rule.denies == sign] for sign in (denies, not denies))
    if not same or not other:
        return False
    fits = frozenset[str]().union(*(_tell(rule.slots[1]) for rule in same))
    for rule in other:
        case, result = map(_tell, rule.slots)
        shared = [word for word in condition & case if not _DENIED.search(word)]
        if any(word in _tell(each.slots[0]) for word in shared for each in same):
            return len(outcome & (result - fits - case)) >= _LEAST and not outcome & (fits - result)
    return False


def _tell(text: str) -> frozenset[str]:
    """List what a slot speaks of, with all pairs of Chinese characters: conditions are short."""
    return words_of(text) | frozenset(_PAIR.findall(text))


def _is_swapped(mine: _Rule, theirs: tuple[_Rule, ...]) -> bool:
    """Tell whether the case is nearest to one rule and the outcome to another, by words that the two do not share."""
    at_case = _nearest(mine.case, tuple(rule.case for rule in theirs))
    if at_case is None:
        return False
    at_outcome = _nearest(mine.outcome, tuple(rule.outcome for rule in theirs))
    if at_outcome is None or at_case == at_outcome:
        return False
    one, other = theirs[at_case], theirs[at_outcome]
    if mine.denies == other.denies != one.denies:
        return False
    goes_on = at_outcome == at_case + 1 and one.is_named and not other.is_named
    return (
        not goes_on
        and bool(mine.case & (one.case - other.case - other.outcome))
        and bool(other.case - one.case)
        and not mine.case & (other.case - one.case)
        and len(mine.outcome & (other.outcome - one.outcome - one.case)) >= _LEAST
        and not mine.outcome & (one.outcome - other.outcome)
    )


def _nearest(words: frozenset[str], slots: tuple[frozenset[str], ...]) -> int | None:
    """Give the place of the one slot that shares most with words; None where none does clearly."""
    shared = [len(words & slot) for slot in slots]
    most = max(shared)
    return shared.index(most) if most >= _LEAST and shared.count(most) == 1 else None


@read_once
def _read_rules(text: str) -> dict[str, _Rule]:
    """Read the rules of a text in normal form, by what they say."""
    return dict(_rules(text))


def _rules(text: str) -> Iterator[tuple[str, _Rule]]:
    for each in read_cases(text):
        said = each.text.strip(" -,")
        slots = _cut(said)
        if slots is not None and not _GOES_ON.match(said) and not _EXCEPTS.search(slots[0]):
            yield said, _Rule((slots[0], slots[1]), slots[2])


def _cut(said: str) -> tuple[str, str, bool] | None:
    """Cut a rule into its case, its outcome, and whether the case is a condition; None where there is no case."""
    leading = _LEADING.match(said) or _HAN_LEADING.match(said)
    if leading is not None:
        return leading.group(), said[leading.end() :], True
    trailing = _TRAILING.search(said)
    if trailing is not None and trailing.start() > _SHORTEST:
        return trailing.group(), said[: trailing.start()], True
    verb = (_VERB if said.isascii() else _HAN_VERB).search(said)
    return (
        (said[: verb.start()], said[verb.start() :], False) if verb is not None and verb.start() >= _SHORTEST else None
    )
