"""Reads a Word document: headings, paragraphs with their automatic numbers, lists and tables.

A footnote or endnote follows the paragraph or table that refers to it. Tracked deletions, hidden and struck-out text, comments and tables of contents are no text. Fields, macros and links
are never followed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from xml.etree.ElementTree import Element

from knowledge.ingestion.formats.faults import UnreadableFileError
from knowledge.ingestion.formats.notes import number_notes
from knowledge.ingestion.formats.numbering import Numbering, W, read_numbering, value_of
from knowledge.ingestion.formats.outline import Outline
from knowledge.ingestion.formats.package import open_package, read_part
from knowledge.ingestion.problems import ProblemCode

_DEEPEST: Final = 100
_WIDEST_SPAN: Final = 100
_HEADING: Final = re.compile(r"heading ([1-9])$")
_TITLE: Final = "title"
_CONTENTS: Final = re.compile(r"toc \d|toc heading", re.IGNORECASE)
_ITEM_MARK: Final = re.compile(r"-|\d{1,6}[.)]")
_NOTE: Final = re.compile(r"\[\d{1,4}\]")
_OFF: Final = frozenset(("0", "false", "off"))
_UNSHOWN: Final = ("vanish", "strike", "dstrike")
_NO_TEXT: Final = frozenset(
    f"{W}{name}" for name in ("del", "moveFrom", "pPr", "rPr", "instrText", "delText", "sdtPr", "object")
) | {"{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"}
_BREAKS: Final = {f"{W}tab": " ", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-", f"{W}p": "\n"}


@dataclass(frozen=True, slots=True)
class _Style:
    """What a paragraph style says by itself: its lower-case name, heading level, list, and the style it stands on."""

    name: str
    level: int | None
    list_id: str | None
    depth: int
    above: str | None


def read_docx(content: bytes) -> str:
    """Give the text of the document's body.

    Errors: UnreadableFileError when it has a password, is damaged, or unfolds to too much.
    """
    package = open_package(content)
    document = read_part(package, "word/document.xml")
    body = document.find(f"{W}body") if document is not None else None
    if body is None:
        raise UnreadableFileError(ProblemCode.DAMAGED, "The file is damaged: it has no document in it.")
    styles = _styles(read_part(package, "word/styles.xml"))
    numbering = read_numbering(read_part(package, "word/numbering.xml"))
    reader = _Reader(styles, numbering, number_notes(package, body))
    reader.read(body, 0)
    return reader.written()


class _Reader:
    def __init__(self, styles: dict[str, _Style], numbering: Numbering, notes: dict[str, Element]) -> None:
        self._styles = styles
        self._notes = notes
        self._numbering = numbering
        self._outline = Outline()
        self._open_items = 0

    def read(self, parent: Element, depth: int) -> None:
        """Read the blocks of an element in their order."""
        if depth > _DEEPEST:
            raise UnreadableFileError(ProblemCode.DAMAGED, f"The file nests more than {_DEEPEST} elements.")
        for child in parent:
            if child.tag == f"{W}p":
                self._paragraph(child)
            elif child.tag == f"{W}tbl":
                self._table(child, depth)
            elif child.tag not in _NO_TEXT:
                self.read(child, depth + 1)

    def written(self) -> str:
        """Give what was read."""
        return self._outline.written()

    def _paragraph(self, element: Element) -> None:
        text = _text(element, 0)
        inherited = self._inherited(element)
        if not text.strip() or any(_CONTENTS.match(style.name) for style in inherited):
            return
        mark, depth = self._mark(element, inherited)
        level = next((style.level for style in inherited if style.level is not None), None)
        if level is not None:
            self._close_items(0)
            self._outline.add_heading(level, f"{mark} {text}" if mark and mark != "-" else text)
        elif mark and _ITEM_MARK.fullmatch(mark):
            self._item(mark, depth, text)
        else:
            self._close_items(0)
            self._outline.add_text(f"{mark} {text}" if mark else text)
        self._add_notes(text)

    def _item(self, mark: str, depth: int, text: str) -> None:
        self._close_items(depth)
        self._outline.open_item(mark)
        self._open_items += 1
        self._outline.add_text(text)

    def _add_notes(self, text: str) -> None:
        """Add the notes that a text refers to; what only looks like a reference names no note, or one that is added."""
        for mark in _NOTE.findall(text):
            note = self._notes.pop(mark, None)
            if note is not None:
                self._outline.add_text(f"{mark} {_text(note, 0)}")

    def _close_items(self, left: int) -> None:
        while self._open_items > left:
            self._outline.close_item()
            self._open_items -= 1

    def _mark(self, element: Element, inherited: list[_Style]) -> tuple[str | None, int]:
        own = element.find(f"{W}pPr/{W}numPr")
        styled = next((style for style in inherited if style.list_id is not None), None)
        list_id = value_of(own, "numId") or (styled.list_id if styled else None)
        depth = int(value_of(own, "ilvl") or (styled.depth if styled else 0))
        return (self._numbering.next_mark(list_id, depth), depth) if list_id else (None, 0)

    def _inherited(self, element: Element) -> list[_Style]:
        chain: list[_Style] = []
        name = value_of(element.find(f"{W}pPr"), "pStyle")
        while name in self._styles and len(chain) < len(self._styles):
            chain.append(self._styles[name])
            name = chain[-1].above
        return chain

    def _table(self, element: Element, depth: int) -> None:
        self._close_items(0)
        rows: list[list[str]] = []
        for row in element.findall(f"{W}tr"):
            rows.append(_cells(row, rows[-1] if rows else []))
        if len(rows) > 1 and max(len(row) for row in rows) > 1:
            self._outline.add_table(rows)
            self._add_notes("\n".join(cell for row in rows for cell in row))
            return
        # This one only arranges the page.
        for cell in element.findall(f"{W}tr/{W}tc"):
            self.read(cell, depth + 1)


def _cells(row: Element, before: list[str]) -> list[str]:
    """Read a row; a cell merged with the one above says the same again."""
    cells: list[str] = []
    for cell in row.findall(f"{W}tc"):
        said = cell.find(f"{W}tcPr")
        merged = said.find(f"{W}vMerge") if said is not None else None
        goes_on = merged is not None and merged.get(f"{W}val") != "restart" and len(cells) < len(before)
        cells.append(before[len(cells)] if goes_on else _text(cell, 0))
        span = value_of(said, "gridSpan") or "1"
        cells += [""] * (min(int(span), _WIDEST_SPAN) - 1)
    return cells


def _text(element: Element, depth: int) -> str:
    if depth > _DEEPEST:
        raise UnreadableFileError(ProblemCode.DAMAGED, f"The file nests more than {_DEEPEST} elements.")
    return "".join(_pieces(element, depth))


def _pieces(element: Element, depth: int) -> Iterator[str]:
    for child in element:
        if child.tag in _NO_TEXT or _is_unshown(child):
            continue
        if child.tag == f"{W}t":
            yield child.text or ""
            continue
        yield _text(child, depth + 1)
        yield _BREAKS.get(child.tag, "")


def _is_unshown(run: Element) -> bool:
    said = run.find(f"{W}rPr") if run.tag == f"{W}r" else None
    if said is None:
        return False
    marks = (said.find(f"{W}{name}") for name in _UNSHOWN)
    return any(mark is not None and mark.get(f"{W}val") not in _OFF for mark in marks)


def _styles(root: Element | None) -> dict[str, _Style]:
    if root is None:
        return {}
    return {each.get(f"{W}styleId", ""): _style(each) for each in root.iter(f"{W}style")}


def _style(element: Element) -> _Style:
    name = (value_of(element, "name") or "").lower()
    said = element.find(f"{W}pPr")
    numbers = said.find(f"{W}numPr") if said is not None else None
    return _Style(
        name=name,
        level=_level(name, value_of(said, "outlineLvl")),
        list_id=value_of(numbers, "numId"),
        depth=int(value_of(numbers, "ilvl") or 0),
        above=value_of(element, "basedOn"),
    )


def _level(name: str, outline: str | None) -> int | None:
    if name == _TITLE:
        return 1
    if found := _HEADING.match(name):
        return int(found.group(1))
    # Nine stands for running text.
    return int(outline) + 1 if outline is not None and int(outline) < 9 else None  # noqa: PLR2004
