"""Fills passages with the units of a section, so that they are neither crumbs nor more than one subject."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

# Characters as a reader weighs them: a Chinese character says about as much as two Latin letters.
_ENOUGH: Final = 450
_SMALL: Final = 200
_LARGEST: Final = 900
# No passage has more characters, whatever glue or missing punctuation ask for: half of the smallest policy context.
LONGEST: Final = 3_000

_WIDE: Final = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch that is never cut. `opens` says that a block of its own begins here; `glued` that it may not begin a passage.

    `lead` is what leads in to the list that the unit goes on with.
    """

    start: int
    end: int
    opens: bool
    glued: bool
    lead: str | None = None


@dataclass(frozen=True, slots=True)
class _Atom:
    """Units that stay together, and how much they weigh."""

    units: tuple[Unit, ...]
    weight: int

    @property
    def start(self) -> int:
        return self.units[0].start

    @property
    def end(self) -> int:
        return self.units[-1].end


def pack(source: str, units: Iterable[Unit]) -> list[tuple[Unit, ...]]:
    """Put units into passages in their order. Shapes: none is empty, none longer than LONGEST unless a unit is."""
    passages: list[list[_Atom]] = []
    weight = 0
    for atom in _atoms(source, units):
        if passages and _joins(passages[-1][0].start, weight, atom):
            passages[-1].append(atom)
            weight += atom.weight
        else:
            passages.append([atom])
            weight = atom.weight
    _feed_crumb(passages)
    return [tuple(unit for atom in atoms for unit in atom.units) for atoms in passages]


def _atoms(source: str, units: Iterable[Unit]) -> list[_Atom]:
    groups: list[list[Unit]] = []
    for unit in units:
        if groups and unit.glued and unit.end - groups[-1][0].start <= LONGEST:
            groups[-1].append(unit)
        else:
            groups.append([unit])
    return [_Atom(tuple(group), _weight(source, group[0].start, group[-1].end)) for group in groups]


def _joins(start: int, weight: int, atom: _Atom) -> bool:
    """Tell whether an atom goes into the passage that begins at `start` and weighs so much."""
    if atom.end - start > LONGEST or weight + atom.weight > _LARGEST:
        return False
    return not atom.units[0].opens or weight < _ENOUGH


def _feed_crumb(passages: list[list[_Atom]]) -> None:
    """Join a last passage that is too small to stand alone to the one before, or take over from that one's end."""
    if len(passages) < 2 or _sum(passages[-1]) >= _SMALL:  # noqa: PLR2004 - two neighbours
        return
    before, crumb = passages[-2:]
    if _sum(before) + _sum(crumb) <= _LARGEST and crumb[-1].end - before[0].start <= LONGEST:
        passages[-2:] = [before + crumb]
        return
    while _sum(crumb) < _SMALL and _sum(before) - before[-1].weight >= _SMALL and _fits(before[-1], crumb):
        crumb.insert(0, before.pop())


def _fits(atom: _Atom, crumb: Sequence[_Atom]) -> bool:
    return atom.weight + _sum(crumb) <= _LARGEST and crumb[-1].end - atom.start <= LONGEST


def _sum(passage: Sequence[_Atom]) -> int:
    return sum(atom.weight for atom in passage)


def _weight(source: str, start: int, end: int) -> int:
    return end - start + len(_WIDE.findall(source, start, end))
