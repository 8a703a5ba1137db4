"""Cuts the normal form of a source into passages, by heading, with the exact place of each.

A passage holds whole blocks of one section where it can: never part of a sentence, list item or table row. A list
keeps the sentence that leads in to it, a limiting sentence stays with the one it limits, and an article of a Chinese
law or contract (第…条) is a section of its own.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Final

from knowledge.ingestion.blocks import Block, Heading, read_blocks
from knowledge.ingestion.markdown import plain
from knowledge.ingestion.sentences import Span, limits_previous, split_sentences

SPLITTER: Final = "headings-2"

# Characters as a reader weighs them: a Chinese character says about as much as two Latin letters.
_ENOUGH: Final = 450
_SMALL: Final = 200
_LARGEST: Final = 900
# No passage has more characters, whatever glue or missing punctuation ask for: half of the smallest policy context.
LONGEST: Final = 3_000

_ARTICLE: Final = re.compile(
    r"[ \t　*]*(第[一二三四五六七八九十百千零〇\d]{1,7}条(?:之[一二三四五六七八九十])?)(?=[\s　*:：]|[^、，,和及至到规的])"
)
_LEADS_IN: Final = re.compile(r"[:：]\W*$")
_BREATH: Final = re.compile(r"[\s,，、;；:：]")
_HAS_WORD: Final = re.compile(r"[^\W_]")
_WIDE: Final = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageDraft:
    """One passage: `text == source[start:end]`. The heading path is never empty."""

    heading_path: tuple[str, ...]
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Unit:
    """A stretch that is never cut. `opens` says that a block of its own begins here; `glued` that it may not begin a passage."""

    start: int
    end: int
    opens: bool
    glued: bool


def first_heading(source: str) -> str | None:
    """Give the first heading of a source: its title when nothing else says one."""
    return next((item.text for item in read_blocks(source) if isinstance(item, Heading) and item.text), None)


def split_passages(source: str, *, title: str) -> tuple[PassageDraft, ...]:
    """Cut a source into passages. Shapes: ordered, disjoint; empty when there is nothing but headings."""
    return tuple(
        PassageDraft(heading_path=path, text=source[start:end], start=start, end=end)
        for path, blocks in _sections(source, title)
        for start, end in _packed(source, _glued(source, tuple(_units(source, blocks))))
    )


def context_header(title: str, heading_path: Sequence[str]) -> str:
    """Give what is indexed and embedded before a passage's own text."""
    steps = [title, *heading_path]
    return " > ".join(step for place, step in enumerate(steps) if place == 0 or step != steps[place - 1])


def _sections(source: str, title: str) -> Iterator[tuple[tuple[str, ...], tuple[Block, ...]]]:
    placed = _placed(source, title)
    for path, group in groupby(placed, key=lambda each: each[0]):
        yield path, tuple(block for _, block in group)


def _placed(source: str, title: str) -> Iterator[tuple[tuple[str, ...], Block]]:
    """Pair every block with its heading path; the title itself is no step of a path that has others."""
    path: list[Heading] = []
    article: str | None = None
    for item in read_blocks(source):
        if isinstance(item, Heading):
            path = [*(above for above in path if above.level < item.level), item]
            article = None
            continue
        if opening := _ARTICLE.match(source, item.start):
            article = opening.group(1)
        steps = [heading.text for heading in path if heading.text and heading.text != title]
        yield (*steps, *([article] if article else [])) or (title,), item


def _units(source: str, blocks: Iterable[Block]) -> Iterator[_Unit]:
    for block in blocks:
        spans = (Span(block.start, block.end),) if block.whole else _sentence_spans(source, block)
        pieces = (piece for span in spans for piece in _pieces(source, span))
        for place, span in enumerate(pieces):
            if _HAS_WORD.search(plain(source[span.start : span.end])):
                yield _Unit(span.start, span.end, opens=block.opens and place == 0, glued=False)


def _pieces(source: str, span: Span) -> Iterator[Span]:
    """Cut what is too long for a sentence or a row, at the last comma or space that lets a piece fit, else anywhere."""
    start = span.start
    while span.end - start > LONGEST:
        breaths = _BREATH.finditer(source, start + LONGEST // 2, start + LONGEST)
        end = max((breath.end() for breath in breaths), default=start + LONGEST)
        yield Span(start, end)
        start = end
    yield Span(start, span.end)


def _sentence_spans(source: str, block: Block) -> tuple[Span, ...]:
    inside = split_sentences(source[block.start : block.end])
    return tuple(Span(block.start + span.start, block.start + span.end) for span in inside)


def _glued(source: str, units: tuple[_Unit, ...]) -> tuple[_Unit, ...]:
    """Mark units that may not begin a passage: what a lead-in leads to, and what limits the sentence before."""
    marked = [
        _Unit(unit.start, unit.end, unit.opens, _belongs(source, before, unit)) for before, unit in pairwise(units)
    ]
    return (*units[:1], *marked)


def _belongs(source: str, before: _Unit, unit: _Unit) -> bool:
    leads_in = _LEADS_IN.search(plain(source[before.start : before.end])) is not None
    return leads_in or limits_previous(source[unit.start : unit.end])


def _packed(source: str, units: tuple[_Unit, ...]) -> list[tuple[int, int]]:
    packed: list[tuple[int, int]] = []
    for unit in units:
        if packed and _joins(source, packed[-1], unit):
            packed[-1] = (packed[-1][0], unit.end)
        else:
            packed.append((unit.start, unit.end))
    return _without_crumb(source, packed)


def _joins(source: str, open_passage: tuple[int, int], unit: _Unit) -> bool:
    if unit.end - open_passage[0] > LONGEST:
        return False
    if unit.glued:
        return True
    if _weight(source, open_passage[0], unit.end) > _LARGEST:
        return False
    return not unit.opens or _weight(source, *open_passage) < _ENOUGH


def _without_crumb(source: str, packed: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join a last passage that is too small to stand alone to the one before, when both fit."""
    if len(packed) < 2 or _weight(source, *packed[-1]) >= _SMALL:  # noqa: PLR2004 - two neighbours
        return packed
    start, end = packed[-2][0], packed[-1][1]
    return [*packed[:-2], (start, end)] if _weight(source, start, end) <= _LARGEST else packed


def _weight(source: str, start: int, end: int) -> int:
    return end - start + sum(1 for _ in _WIDE.finditer(source, start, end))
