"""Align a claim with the one case of its quotes that it is about, by the words that only this case has.

A text is cut into cases at every place where a new rule may begin. A case takes over from the one before it what it
leaves out itself ("but never with advertisers"), at a discount. What is decided for one case (who pays, whether something
is denied) is then compared with the case of the quotes that shares most, and weighed against the cases that say otherwise.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

from knowledge.validation.clauses import CUT, OPEN_END
from knowledge.validation.concepts import find_things
from knowledge.validation.lexicon import compile_by_start
from knowledge.validation.quantities import find_figures, name_figures
from knowledge.validation.readings import read_once
from knowledge.validation.stances import is_negative, read_stances
from knowledge.validation.words import content_words

_STOP = re.compile(r"[;。!?！？\n]|\.(?!\d|\w)")
_HAN_COMMA = compile_by_start(r"(?<=[\u4e00-\u9fff%)])[,:]|[,:](?=[\u4e00-\u9fff])")
_BEYOND = frozenset({"min", "over", "after", "before"})
_WITHIN = frozenset({"max", "under"})
_INHERITED: Final = 0.8
_DENIED_PAIR = re.compile(r"[不未没无非]有?([\u4e00-\u9fff]{2})")
# A condition behind its rule stays with it.
_IF = re.compile(r"\s?(?:even\s)?(?:if|though|when|provided|as\slong\sas|until)\b")
_UNLESS = re.compile(r",?\s(?=unless\s)")
_DENIAL = re.compile(r"[不未无没非免勿]")
# What begins so has no subject of its own.
_PREDICATE = re.compile(r"\s?[由按归]")
_HAS_PREDICATE = re.compile(r"[应须需可将由按不未没是为有]|[a-z]{3}")


@dataclass(frozen=True, eq=False)
class Case:
    """One case of a text in normal form: its place and what it says, which is read when it is asked for."""

    start: int
    end: int
    text: str
    before: "Case | None"
    """The case that it takes over from, within its sentence."""

    @cached_property
    def own(self) -> frozenset[str]:
        """Give the words of its own."""
        return words_of(self.text)

    @cached_property
    def taken(self) -> frozenset[str]:
        """Give the words that it takes over."""
        return frozenset() if self.before is None else self.before.own - self.own

    @cached_property
    def denied(self) -> frozenset[str]:
        """Give what the case itself says under a denial."""
        return _denied(self.text)

    @cached_property
    def sides(self) -> frozenset[tuple[str, Fraction, bool]]:
        """Give the limits it is about, and whether beyond or within each."""
        return _sides(self.text)


@read_once
def read_cases(text: str) -> tuple[Case, ...]:
    """Cut a text in normal form into its cases."""
    return tuple(_cases(text))


def _cases(text: str) -> Iterator[Case]:
    case: Case | None = None
    for start, end, is_first in _spans(text):
        case = Case(start, end, text[start:end], None if is_first else case)
        yield case


def _spans(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the places of the cases, and whether each begins a sentence; a condition stays with what depends on it."""
    begun, is_first = 0, True
    for at, after, is_stop in (*_cuts(text), (len(text), len(text), True)):
        piece = text[begun:at].strip()
        if not piece:
            # A sentence that begins with "but" goes on with the one before it.
            begun, is_first = after, is_first and is_stop
            continue
        if not is_stop and (OPEN_END.search(piece) or _is_topic(piece, text, after)):
            continue
        yield begun, at, is_first
        begun, is_first = after, is_stop


def _is_topic(piece: str, text: str, after: int) -> bool:
    """Tell whether a piece only names what the next one speaks of: 增加的返程费用,由旅行社分担."""
    return _PREDICATE.match(text, after) is not None and not _HAS_PREDICATE.search(piece)


def _cuts(text: str) -> list[tuple[int, int, bool]]:
    stops = [(found.start(), found.end(), True) for found in _STOP.finditer(text)]
    marks = [(found.start(), found.end(), False) for cut in (CUT, _HAN_COMMA, _UNLESS) for found in cut.finditer(text)]
    return sorted(
        {*stops, *(mark for mark in marks if text[mark[0] : mark[1]].strip() != ";" and not _IF.match(text, mark[1]))}
    )


@read_once
def words_of(text: str) -> frozenset[str]:
    """List what a text speaks of: things, figures, acts and plain words without denials."""
    plain = content_words(text)
    if _DENIAL.search(text):
        plain = [word for word in plain if not _DENIAL.search(word)]
    return find_things(text).union(name_figures(text), read_stances(text).acts, plain)


def nearest_sentence(wanted: frozenset[str], texts: tuple[str, ...]) -> str:
    """Give the sentence of texts in normal form that shares most words with what is wanted."""
    sentences = (sentence for text in texts for sentence in _STOP.split(text))
    return max(sentences, key=lambda sentence: len(words_of(sentence) & wanted))


def _denied(text: str) -> frozenset[str]:
    stances = read_stances(text).stances.items()
    return frozenset(
        (
            *(found.group(1) for found in _DENIED_PAIR.finditer(text)),
            *(key for key, taken in stances if len(key) > 1 and all(map(is_negative, taken))),
        )
    )


def weigh(
    claimed: Case, quoted: tuple[Case, ...], *, leave_out: frozenset[str] = frozenset(), signed: bool = False
) -> tuple[float, ...]:
    """Give what a case of a claim shares with each case of its quotes: a word that many have counts little.

    `signed` counts also what both deny, so that "if it is faulty" is nearer to "faulty" than to "not faulty".
    """
    shares = _shares(claimed, quoted, leave_out)
    if not signed:
        return shares
    return tuple(
        share + bool(claimed.denied & case.denied) - _opposes(claimed, case)
        for share, case in zip(shares, quoted, strict=True)
    )


def stand_across(one: Case, other: Case) -> bool:
    """Tell whether one case is about what lies within a limit and the other about what lies beyond it."""
    return any((base, value, not side) in other.sides for base, value, side in one.sides)


def _sides(text: str) -> frozenset[tuple[str, Fraction, bool]]:
    return frozenset(
        (each.base, each.value, each.bound in _BEYOND)
        for each in find_figures(text).quantities
        if each.bound in _BEYOND or each.bound in _WITHIN
    )


def _opposes(one: Case, other: Case) -> bool:
    return stand_across(one, other) or bool(
        one.denied & (other.own - other.denied) or other.denied & (one.own - one.denied)
    )


def _shares(claimed: Case, quoted: tuple[Case, ...], leave_out: frozenset[str]) -> tuple[float, ...]:
    holders = Counter(word for case in quoted for word in case.own)
    wanted = dict.fromkeys(claimed.own, 1.0) | dict.fromkeys(claimed.taken, _INHERITED)
    return tuple(
        sum(
            weight / max(holders[word], 1) * (1.0 if word in case.own else _INHERITED)
            for word, weight in wanted.items()
            if word not in leave_out and (word in case.own or word in case.taken)
        )
        for case in quoted
    )


def best(shares: tuple[float, ...], cases: tuple[Case, ...], holds: Callable[[Case], bool]) -> float:
    """Give the largest share among the cases that something holds for; nothing shared gives 0."""
    return max((share for share, case in zip(shares, cases, strict=True) if holds(case)), default=0.0)
