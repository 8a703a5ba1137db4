"""Cuts the normal form of a source into passages, by section, with the exact place of each.

A passage holds whole blocks of one section where it can: never part of a sentence, list item or table row. A list
keeps the sentence that leads in to it, a limiting sentence stays with the one it limits, an answer with its question,
a footnote with what it is about. A sentence, item or row is only cut when no passage could hold it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from knowledge.ingestion.blocks import Block, Heading, read_blocks
from knowledge.ingestion.markdown import plain
from knowledge.ingestion.packing import LONGEST, Unit, pack
from knowledge.ingestion.scopes import Scope, applying, by_path, find_scopes
from knowledge.ingestion.sections import ANSWER, Section, read_sections
from knowledge.ingestion.sentences import Span, limits_previous, split_sentences

SPLITTER: Final = "headings-3"

_LEADS_IN: Final = re.compile(r"[:：]\W*$")
_LABEL: Final = re.compile(
    r"\s*(?:\*\*[^*\n]{1,80}\*\*|__[^_\n]{1,80}__|\d{1,3}(?:\.\d{1,3}){1,4}\.?[ \t][^\n]{1,100}|[一二三四五六七八九十]{1,4}、[^\n]{1,30})\s*$"
)
_STOP: Final = re.compile(r"[.。!！;；,，…]\W*$")
_NOTE: Final = re.compile(r"\[(\d{1,4})\]\s")
_BREATH: Final = re.compile(r"[\s,，、;；:：]")
_SPACE: Final = re.compile(r"\s*")
_HAS_WORD: Final = re.compile(r"[^\W_]")
# What a reader may see no word of although letters stand there: the marks that `plain` takes out.
_MARKED: Final = re.compile(r"[<{\[!]")
_LONGEST_LEAD: Final = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageDraft:
    """One passage: `text == source[start:end]`. The heading path is never empty.

    Units: `line` counts the lines of the source from 1; `page` counts the pages of a file that has them from 1.
    """

    heading_path: tuple[str, ...]
    text: str
    start: int
    end: int
    line: int
    page: int | None
    applies_to: str | None
    """What the text itself says about its reach: statements of its section, of those around it and of the document."""


@dataclass(frozen=True, slots=True)
class _Read:
    """A section, and what it consists of."""

    section: Section
    units: tuple[Unit, ...]


class _Places:
    """Tells line and page of a place in a source."""

    def __init__(self, source: str, page_lines: Sequence[int]) -> None:
        self._ends = [found.start() for found in re.finditer("\n", source)]
        self._page_lines = page_lines

    def line(self, place: int) -> int:
        return bisect_right(self._ends, place - 1) + 1

    def page(self, place: int) -> int | None:
        return bisect_right(self._page_lines, self.line(place)) or None


def first_heading(source: str) -> str | None:
    """Give the first heading of a source: its title when nothing else says one."""
    return next((item.text for item in read_blocks(source) if isinstance(item, Heading) and item.text), None)


def split_passages(source: str, *, title: str, page_lines: Sequence[int] = ()) -> tuple[PassageDraft, ...]:
    """Cut a source into passages; `page_lines` says on which line each page begins.

    Shapes: ordered, disjoint; empty when there is nothing but headings.
    """
    read = [_Read(section, _glued(source, tuple(_units(source, section)))) for section in read_sections(source, title)]
    scopes = by_path(scope for each in read for scope in _scopes(source, title, each))
    places = _Places(source, page_lines)
    return tuple(draft for each in read for draft in _drafts(source, each, applying(scopes, each.section.path), places))


def context_header(title: str, heading_path: Sequence[str]) -> str:
    """Give what is indexed and embedded before a passage's own text."""
    steps = [title, *heading_path]
    return " > ".join(step for place, step in enumerate(steps) if place == 0 or step != steps[place - 1])


def _drafts(source: str, read: _Read, applies_to: str | None, places: _Places) -> Iterator[PassageDraft]:
    path = read.section.path
    for packed in pack(source, read.units):
        start, end = packed[0].start, packed[-1].end
        lead = packed[0].lead
        yield PassageDraft(
            heading_path=(*path, lead) if lead else path,
            text=source[start:end],
            start=start,
            end=end,
            line=places.line(start),
            page=places.page(start),
            applies_to=applies_to,
        )


def _scopes(source: str, title: str, read: _Read) -> Iterator[Scope]:
    path = () if read.section.path == (title,) else read.section.path
    texts = [source[unit.start : unit.end] for unit in read.units]
    return find_scopes(texts, path=path, article=read.section.article)


def _units(source: str, section: Section) -> Iterator[Unit]:
    """Read the units of a section. Items after the first carry what leads in to their list."""
    before: Unit | None = None
    leads: dict[int, str | None] = {}
    for block in section.blocks:
        if block.list_at is not None and block.list_at not in leads:
            leads[block.list_at] = _lead(source, before)
        lead = leads.get(block.list_at) if block.list_at not in (None, block.start) else None
        for place, span in enumerate(_spans(source, block)):
            if _is_read(source[span.start : span.end]):
                before = Unit(span.start, span.end, opens=block.opens and place == 0, glued=block.stays, lead=lead)
                yield before


def _lead(source: str, before: Unit | None) -> str | None:
    if before is None:
        return None
    said = plain(source[before.start : before.end])
    return _LEADS_IN.sub("", said) or None if len(said) <= _LONGEST_LEAD and _LEADS_IN.search(said) else None


def _spans(source: str, block: Block) -> Iterator[Span]:
    spans = (Span(block.start, block.end),) if block.whole else _sentence_spans(source, block)
    return (piece for span in spans for piece in _pieces(source, span))


def _is_read(text: str) -> bool:
    return _HAS_WORD.search(plain(text) if _MARKED.search(text) else text) is not None


def _pieces(source: str, span: Span) -> Iterator[Span]:
    """Cut what is too long for a passage, at the last comma or space that lets a piece fit, else anywhere."""
    start = span.start
    while span.end - start > LONGEST:
        breaths = _BREATH.finditer(source, start + LONGEST // 2, start + LONGEST)
        end = max((breath.end() for breath in breaths), default=start + LONGEST)
        yield Span(start, start + len(source[start:end].rstrip()))
        space = _SPACE.match(source, end, span.end)
        start = space.end() if space else end
    yield Span(start, span.end)


def _sentence_spans(source: str, block: Block) -> tuple[Span, ...]:
    inside = split_sentences(source[block.start : block.end])
    return tuple(Span(block.start + span.start, block.start + span.end) for span in inside)


def _glued(source: str, units: tuple[Unit, ...]) -> tuple[Unit, ...]:
    """Mark units that may not begin a passage."""
    glued: list[Unit] = []
    before = ""
    for unit in units:
        text = source[unit.start : unit.end]
        glued.append(replace(unit, glued=True) if before and _belongs(before, text) else unit)
        before = text
    return tuple(glued)


def _belongs(before: str, text: str) -> bool:
    """Tell what stays with the unit before: what that leads in to or names, an answer, an exception, a footnote."""
    if ANSWER.match(text) or limits_previous(text):
        return True
    if (note := _NOTE.match(text)) and (note.group().strip() in before or _NOTE.match(before)):
        return True
    if _LEADS_IN.search(before[-20:] if _MARKED.search(before[-20:]) is None else plain(before)):
        return True
    return _LABEL.match(before) is not None and _STOP.search(before) is None
