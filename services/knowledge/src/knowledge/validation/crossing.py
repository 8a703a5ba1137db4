"""Check that a claim joins what its quotes join: which rate with which case, which term with which product.

A quote that treats two cases ties a value (figure, side, act with its sign) to the words of each. A claim that ties
one case's words to the other case's value is crossed, though every word and figure of it stands in the quotes.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from knowledge.validation.concepts import find_things
from knowledge.validation.contrasts import read_sides
from knowledge.validation.quantities import Quantity, find_figures
from knowledge.validation.units import COUNTS, PERIODS
from knowledge.validation.words import content_words, normalise

_STOP = re.compile(r"[;；。!?！？\n]|\.(?!\d)")
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|may|can|must|will|shall|should|cannot|can't|won't|do|does|"
    r"includes?|excludes?|covers?|costs?|appl(?:y|ies)|takes?|keeps?|gets?|receives?|pays?|needs?|offers?|provides?|requires?|contains?|responds?|allows?)\b"
)
_OTHERS = re.compile(r"\b(?:others?|else|rest|remaining)\b")
_CUT = re.compile(
    r"[,，:：]|\b(?:and(?!\sincluding)|but|while|whereas|otherwise|with)\b|而(?!非|且)|但是?|否则|和|其他"
)
# A case goes with what is said of it: 未保价的，… and "if it is urgent, …".
_OPEN_END = re.compile(r"(?:的|时|后|内|外)$|^(?:如果|如|若|对|对于)|^(?:if|when|where|for|once|unless|on)\b")

# What is left out of a case is no word of it: "everything apart from the battery".
_LEFT_OUT = re.compile(
    r"\b(?:apart\sfrom|other\sthan|except(?:\sfor)?|excluding)\s[^,;]{2,30}?(?=\s(?:the|is|are|you|we)\b|[,;]|$)"
)
_PRONOUN = re.compile(r"\s*(?:it|they|these|this)\b")
# One word in common is chance, unless the claim has hardly more; a figure or side in common is none.
_LEAST: Final = 2
_WEIGHT_OF_MARKS: Final = 2

_UP, _DOWN = frozenset({"min", "over", "after"}), frozenset({"max", "under"})


_AGAINST = {"up": "down", "down": "up"}


class Value(NamedTuple):
    """What a unit ties to its words; two values of one family exclude each other."""

    family: str
    key: str


class _Unit(NamedTuple):
    values: dict[Value, str]
    words: frozenset[str]
    marks: frozenset[Value]
    """The values with the direction of their bounds: "up to 48 hours" and "from 48 hours on" mark two cases."""


def find_crossed(claim: str, quotes: tuple[str, ...]) -> Iterator[str]:
    """Yield the values of a claim that its quotes tie to another case than the claim does."""
    said = normalise(claim)
    texts = tuple(normalise(quote) for quote in quotes)
    if any(said in text for text in texts) or not _may_hold_values(said):
        return
    claimed = read_units(said)
    values = frozenset(value for unit in claimed for value in unit.values)
    if not values or (len(values) == 1 and not _has_rivals(values, texts)):
        return
    quoted = tuple(unit for text in texts for unit in read_units(text))
    if len(quoted) < 2:  # noqa: PLR2004 - a crossing takes two
        return
    everywhere = frozenset[str].intersection(*(unit.words for unit in quoted))
    before: _Unit | None = None
    for unit in claimed:
        for value, wording in unit.values.items():
            context = _context(unit, before, value)
            if _is_crossed(value, context, everywhere, quoted) or _lies_beyond(value, unit, quoted):
                yield wording
        before = unit


def _has_rivals(values: frozenset[Value], texts: tuple[str, ...]) -> bool:
    """Tell whether texts hold other values that exclude one of these."""
    families = {value.family for value in values}
    figures = (_figure(each) for text in texts for each in find_figures(text).quantities if not _is_article(each))
    sides = (Value(side.axis, str(side.side)) for text in texts for side in read_sides(text))
    return any(other.family in families and other not in values for other in chain(figures, sides))


def _may_hold_values(text: str) -> bool:
    return bool(find_figures(text).quantities) or bool(read_sides(text))


def _context(unit: _Unit, before: _Unit | None, value: Value) -> _Unit:
    """Take in the piece before, unless it has a value of its own that excludes this one."""
    if before is None or any(other.family == value.family for other in before.values):
        return unit
    return _Unit(unit.values, unit.words | before.words, unit.marks | before.marks)


def _is_crossed(value: Value, context: _Unit, everywhere: frozenset[str], quoted: tuple[_Unit, ...]) -> bool:
    owners = [_shared(context, unit, value, everywhere) for unit in quoted if value in unit.values]
    rivals = [
        _shared(context, unit, value, everywhere)
        for unit in quoted
        if value not in unit.values and _is_rival(value, context, unit)
    ]
    nearest = max(rivals, default=0)
    least = min(_LEAST, len(context.words - everywhere))
    return bool(owners) and nearest >= least and nearest > 2 * max(owners)


def _lies_beyond(value: Value, claimed: _Unit, quoted: tuple[_Unit, ...]) -> bool:
    """Tell whether the quotes give a value to one side of a limit and the claim to the other: "over 30 days" for "up to"."""
    mine = {mark for mark in claimed.marks if mark.family.endswith((" up", " down")) and mark.key != value.key}
    owners = [unit for unit in quoted if value in unit.values]
    if value in claimed.marks or not owners or not any(mine & unit.marks for unit in quoted):
        return False
    other = {_turned(mark) for mark in mine}
    return all(unit.marks & other and not unit.marks & mine for unit in owners)


def _is_rival(value: Value, context: _Unit, unit: _Unit) -> bool:
    """Tell whether a unit of the quotes has another value in the place of this one, for a case that may be the claim's.

    What the claim says beside it is no rival, and "over 75" is no case of "75 or less".
    """
    others = {other for other in unit.values if other.family == value.family}
    return bool(others - context.values.keys()) and not any(_turned(mark) in unit.marks for mark in context.marks)


def _shared(one: _Unit, other: _Unit, value: Value, everywhere: frozenset[str]) -> int:
    marks = sum(not mark.family.startswith(value.family) for mark in one.marks & other.marks)
    return len((one.words & other.words) - everywhere) + _WEIGHT_OF_MARKS * marks


@lru_cache(maxsize=1024)
def read_units(text: str) -> tuple[_Unit, ...]:
    """Cut a text in normal form into its cases, with the values and words of each."""
    return tuple(_unit(piece, subject) for piece, subject in _pieces(text))


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield each case with the subject it takes over from the first case of its sentence."""
    last = ""
    for sentence in _STOP.split(text):
        subject, held = (last if _PRONOUN.match(sentence) else ""), ""
        for piece in filter(None, map(str.strip, _CUT.split(sentence))):
            held = f"{held} {piece}" if held else piece
            if _OPEN_END.search(piece):
                continue
            verb = _VERB.search(held)
            yield held, "" if verb is not None or _OTHERS.search(held) else subject
            subject = subject or (held[: verb.start()] if verb is not None else "")
            held = ""
        if held:
            yield held, subject
        last = subject


def _unit(text: str, subject: str) -> _Unit:
    figures = tuple(each for each in find_figures(text).quantities if not _is_article(each))
    values = {_figure(quantity): quantity.said for quantity in figures}
    sides = {Value(side.axis, str(side.side)): side.said for side in read_sides(text)}
    rest = _LEFT_OUT.sub(lambda found: " " * len(found.group()), text)
    for quantity in reversed(figures):
        rest = f"{rest[: quantity.start]} {rest[quantity.end :]}"
    for said in sides.values():
        rest = rest.replace(said, " ")
    marks = frozenset(_mark(quantity) for quantity in figures) | sides.keys()
    return _Unit(values | sides, content_words(f"{subject} {rest}") | find_things(rest), marks)


def _is_article(quantity: Quantity) -> bool:
    return quantity.base == "ordinal" or (quantity.base in COUNTS and quantity.value == 1 and quantity.bound == "none")


def _figure(quantity: Quantity) -> Value:
    is_period = quantity.base in PERIODS or quantity.base == "immediate"
    return Value("period" if is_period else quantity.base, f"{quantity.base} {quantity.value}")


def _mark(quantity: Quantity) -> Value:
    family, key = _figure(quantity)
    direction = "up" if quantity.bound in _UP else "down" if quantity.bound in _DOWN else ""
    return Value(f"{family} {direction}", key)


def _turned(mark: Value) -> Value:
    family, _, direction = mark.family.rpartition(" ")
    return Value(f"{family} {_AGAINST.get(direction, 'none')}", mark.key)
