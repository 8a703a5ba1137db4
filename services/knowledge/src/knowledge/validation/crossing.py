"""Check that a claim joins what its quotes join: which rate with which case, which term with which product.

A quote that treats two cases ties a value (figure, side, act with its sign) to the words of each. A claim that ties
one case's words to the other case's value is crossed, though every word and figure of it stands in the quotes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Final, NamedTuple

from knowledge.validation.concepts import find_things
from knowledge.validation.contrasts import read_sides
from knowledge.validation.lexicon import compile_by_start
from knowledge.validation.quantities import Quantity, find_figures
from knowledge.validation.readings import read_once
from knowledge.validation.units import COUNTS, PERIODS
from knowledge.validation.words import content_words, normalise

_STOP = re.compile(r"[;；。!?！？\n]|\.(?!\d)")
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|may|can|must|will|shall|should|cannot|can't|won't|do|does|"
    r"includes?|excludes?|covers?|costs?|appl(?:y|ies)|takes?|keeps?|gets?|receives?|pays?|needs?|offers?|provides?|requires?|contains?|responds?|allows?)\b"
)
_OTHERS = re.compile(r"\b(?:others?|else|rest|remaining)\b")
_CUT = compile_by_start(
    r"[,，:：]|\b(?:and(?!\sincluding)|but|while|whereas|otherwise|with)\b|而(?!非|且)|但是?|否则|和|其他"
)
# A case goes with what is said of it: 未保价的，… and "if it is urgent, …".
# 对国内邮件可以… is whole.
_OPEN_END = re.compile(
    r"(?:的|时|后|内|外)$|^-?\s?(?:如果|如|若|对|对于)(?!.*[则可应须得需将])|^-?\s?(?:if|when|where|for|once|unless|on)\b"
)

# What is left out of a case is no word of it: "everything apart from the battery".
_LEFT_OUT = re.compile(
    r"\b(?:apart\sfrom|other\sthan|except(?:\sfor)?|excluding)\s[^,;]{2,30}?(?=\s(?:the|is|are|you|we)\b|[,;]|$)"
)
# "If you did not pay by card" is no case of those who did.
_EXCLUDED = compile_by_start(
    r"(?:n't|\b(?:not|other\sthan|except|without))\s(?:(?!\b(?:if|when|unless)\b)[^,;]){0,24}|(?:不是|并非|没有?用)[^,，;；。]{0,6}"
)
_PRONOUN = re.compile(r"\s*(?:it|they|these|this)\b")
# One word in common is chance, unless the claim has hardly more; a figure or side in common is none.
_LEAST: Final = 2
# From this share of words in common on, two cases are told alike.
_ALIKE: Final = 0.6
_WEIGHT_OF_MARKS: Final = 2

_UP, _DOWN = frozenset({"min", "over", "after"}), frozenset({"max", "under"})


_AGAINST = {"up": "down", "down": "up"}


class Value(NamedTuple):
    """What a unit ties to its words; two values of one family exclude each other."""

    family: str
    key: str


@dataclass(frozen=True, eq=False)
class _Unit:
    """A case with what it ties together, which is read when it is asked for."""

    text: str
    subject: str
    """What the sentence of the case began with."""

    @cached_property
    def figures(self) -> tuple[Quantity, ...]:
        """Give its figures but for articles."""
        return tuple(each for each in find_figures(self.text).quantities if not _is_article(each))

    @cached_property
    def sides(self) -> dict[Value, str]:
        """Give the sides it names."""
        return {Value(side.axis, str(side.side)): side.said for side in read_sides(self.text)}

    @cached_property
    def values(self) -> dict[Value, str]:
        """Give its values and how it puts them."""
        return {_figure(quantity): quantity.said for quantity in self.figures} | self.sides

    @cached_property
    def marks(self) -> frozenset[Value]:
        """Give its values with their bounds: "up to 48 hours" and "from 48 hours on" mark two cases."""
        sides = read_sides(_EXCLUDED.sub(" ", self.text)) if _EXCLUDED.search(self.text) else None
        kept = self.sides.keys() if sides is None else {Value(each.axis, str(each.side)) for each in sides}
        return frozenset(map(_mark, self.figures)) | kept

    @cached_property
    def words(self) -> frozenset[str]:
        """Give its words and things beside the values."""
        rest = _LEFT_OUT.sub(lambda found: " " * len(found.group()), self.text)
        for quantity in reversed(self.figures):
            rest = f"{rest[: quantity.start]} {rest[quantity.end :]}"
        for said in self.sides.values():
            rest = rest.replace(said, " ")
        return content_words(f"{self.subject} {rest}") | find_things(rest)


class _Context(NamedTuple):
    """The case that a claim ties a value to: its piece, and the one before where this has no rival of the value."""

    units: tuple[_Unit, ...]

    @property
    def words(self) -> frozenset[str]:
        return frozenset[str]().union(*(unit.words for unit in self.units))

    @property
    def marks(self) -> frozenset[Value]:
        return frozenset[Value]().union(*(unit.marks for unit in self.units))


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
    before: _Unit | None = None
    for unit in claimed:
        for value, wording in unit.values.items():
            if _is_crossed(value, _context(unit, before, value), quoted) or _lies_beyond(value, unit, quoted):
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


def _context(unit: _Unit, before: _Unit | None, value: Value) -> _Context:
    """Take in the piece before, unless it has a value of its own that excludes this one."""
    if before is None or any(other.family == value.family for other in before.values):
        return _Context((unit,))
    return _Context((unit, before))


def _is_crossed(value: Value, context: _Context, quoted: tuple[_Unit, ...]) -> bool:
    owners = [unit for unit in quoted if value in unit.values]
    rivals = [unit for unit in quoted if value not in unit.values and _is_rival(value, context, unit)]
    if not owners or not rivals:
        return False
    if any(all(_tells_twins(context, rival, owner, value) for owner in owners) for rival in rivals):
        return True
    everywhere = frozenset[str].intersection(*(unit.words for unit in quoted))
    words, marks = context.words - everywhere, context.marks
    nearest, own = (max(_shared(words, marks, unit, value) for unit in units) for units in (rivals, owners))
    return nearest >= min(_LEAST, len(words)) and nearest > 2 * own


def _tells_twins(context: _Context, rival: _Unit, owner: _Unit, value: Value) -> bool:
    """Tell whether a claim names a side that is all that tells a case from its owner's, which is told alike."""
    mine, theirs = _sides(rival.marks - owner.marks, value), _sides(owner.marks - rival.marks, value)
    if not mine & context.marks or theirs & context.marks:
        return False
    return len(owner.words & rival.words) >= _ALIKE * max(min(len(owner.words), len(rival.words)), 1)


def _sides(marks: frozenset[Value], value: Value) -> frozenset[Value]:
    return frozenset(mark for mark in marks if not mark.family.startswith(value.family))


def _lies_beyond(value: Value, claimed: _Unit, quoted: tuple[_Unit, ...]) -> bool:
    """Tell whether the quotes give a value to one side of a limit and the claim to the other: "over 30 days" for "up to"."""
    mine = {mark for mark in claimed.marks if mark.family.endswith((" up", " down")) and mark.key != value.key}
    owners = [unit for unit in quoted if value in unit.values]
    if value in claimed.marks or not owners or not any(mine & unit.marks for unit in quoted):
        return False
    other = {_turned(mark) for mark in mine}
    return all(unit.marks & other and not unit.marks & mine for unit in owners)


def _is_rival(value: Value, context: _Context, unit: _Unit) -> bool:
    """Tell whether a unit of the quotes has another value in the place of this one, for a case that may be the claim's.

    What the claim says beside it is no rival, and "over 75" is no case of "75 or less".
    """
    others = {other for other in unit.values if other.family == value.family}
    if not others - context.units[0].values.keys():
        return False
    return not any(_turned(mark) in unit.marks for mark in context.marks)


def _shared(words: frozenset[str], marks: frozenset[Value], unit: _Unit, value: Value) -> int:
    shared = sum(not mark.family.startswith(value.family) for mark in marks & unit.marks)
    return len(words & unit.words) + _WEIGHT_OF_MARKS * shared


@read_once
def read_units(text: str) -> tuple[_Unit, ...]:
    """Cut a text in normal form into its cases, with the values and words of each."""
    return tuple(_Unit(piece, subject) for piece, subject in _pieces(text))


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
