"""Takes the lines of text and their places out of a PDF file. No script, form, link or attachment is looked at."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

import pypdfium2
import pypdfium2.raw

from knowledge.ingestion.formats.faults import UnreadableFileError
from knowledge.ingestion.formats.markup import seen
from knowledge.ingestion.formats.pdf_grids import Grid, find_grids, read_rules
from knowledge.ingestion.problems import ProblemCode

_PDFIUM: Any = pypdfium2.raw  # the bindings ship no types
# PDFium is not made for threads, and a worker has several.
_ONE_AT_A_TIME: Final = Lock()
_MOST_PAGES: Final = 2_000
_MOST_CHARACTERS: Final = 5_000_000
# What comes after so many rules is read line by line.
_MOST_RULES: Final = 50_000
_BOLD: Final = 600
_MOST_UNKNOWN_SHARE: Final = 0.02
# Wider than what a justified line has between its words. Unit: sizes of the letters.
_WIDE_GAP: Final = 1.8
_UNKNOWN: Final = "\ufffd"
_BREAKS: Final = ("\r", "\n")

# PDFium joins a word that was broken at the end of a line with this character in the place of the hyphen.
_BROKEN_WORD: Final = re.compile(r"(?<![^\s(“])([A-Za-z]+)\x02(?=[a-z])")
_HYPHEN: Final = "\x02"

# Where a font does not say which letter a glyph is, its number comes out. TrueType fonts keep the standard order.
# Source: OpenType specification, `post` table, the 258 glyphs of the standard Macintosh ordering.
_FIRST_GLYPH, _LAST_GLYPH, _TO_ASCII = 3, 97, 29
_GLYPHS: Final = {135: "•", 171: "…", 177: "–", 178: "—", 179: "“", 180: "”", 181: "‘", 182: "’"}


@dataclass(frozen=True, slots=True)
class Cell:
    """A part of a line that a wide gap parts from the next."""

    text: str
    left: float
    right: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line as it is printed, or a table with its `rows`. Units: points, from the lower left corner of its page."""

    text: str
    page: int
    left: float
    right: float
    bottom: float
    size: float
    bold: bool
    cells: tuple[Cell, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def read_lines(content: bytes) -> list[Line]:
    """Give all lines in the order of the file.

    Errors: UnreadableFileError when it has a password, is damaged, too long, made of pictures, or of unnamed glyphs.
    """
    with _ONE_AT_A_TIME:
        document = _open(content)
        try:
            lines = list(_lines(document))
            pages = len(document)
        finally:
            document.close()
    _check(lines, pages=pages)
    return lines


def _open(content: bytes) -> Any:  # pypdfium2 ships no types
    try:
        document: Any = pypdfium2.PdfDocument(content)
        pages = len(document)
    except pypdfium2.PdfiumError as broken:
        if getattr(broken, "err_code", None) == _PDFIUM.FPDF_ERR_PASSWORD:
            sentence = "The file is protected with a password; save it without one."
            raise UnreadableFileError(ProblemCode.ENCRYPTED, sentence) from broken
        sentence = "The file is damaged or cut off: it cannot be read as PDF."
        raise UnreadableFileError(ProblemCode.DAMAGED, sentence) from broken
    if pages > _MOST_PAGES:
        document.close()
        raise UnreadableFileError(ProblemCode.TOO_LARGE, f"The file has {pages:,} pages; the limit is {_MOST_PAGES:,}.")
    return document


def _lines(document: Any) -> Iterator[Line]:
    left, rules_left = _MOST_CHARACTERS, _MOST_RULES
    for number in range(len(document)):
        page: Any = document[number]
        text_page: Any = page.get_textpage()
        count: int = text_page.count_chars()
        left -= count
        if left < 0:
            sentence = f"The file holds more than {_MOST_CHARACTERS:,} characters."
            raise UnreadableFileError(ProblemCode.TOO_LARGE, sentence)
        rules = read_rules(page)
        rules_left -= len(rules)
        yield from _lines_of_page(text_page, number, count, find_grids(rules) if rules_left > 0 else [])


def _lines_of_page(text_page: Any, number: int, count: int, grids: list[Grid]) -> Iterator[Line]:
    """Give lines and tables in the order of the file; what stands in a table is in no line."""
    characters = [_character(text_page, place) for place in range(count)]
    tables = {line_at: table for grid in grids for line_at, table in _table(text_page, number, characters, grid)}
    start = 0
    for place in range(count + 1):
        if place in tables:
            yield tables[place]
        if place == count or characters[place] in _BREAKS:
            line = _line(text_page, number, "".join(characters[start:place]), start)
            if line is not None:
                yield line
            start = place + 1


def _table(text_page: Any, number: int, characters: list[str], grid: Grid) -> Iterator[tuple[int, Line]]:
    """Take the text of a table out of the characters of its page, leaving breaks; give it with its first place.

    A frame around one text is no table.
    """
    said: dict[tuple[int, int], list[str]] = defaultdict(list)
    boxes: dict[int, tuple[float, float, float, float]] = {}
    taken: list[int] = []
    cell: tuple[int, int] | None = None
    for place, character in enumerate(characters):
        if character.strip():
            left, bottom, right, top = text_page.get_charbox(place, loose=True)
            cell = grid.cell((left + right) / 2, (bottom + top) / 2)
            if cell is not None:
                boxes[place] = (left, bottom, right, top)
        if cell is not None:
            said[cell].append("\n" if character in _BREAKS else character)
            taken.append(place)
    if len(said) > 1:
        for place in taken:
            characters[place] = _BREAKS[-1]
        yield min(boxes), _table_line(number, grid, {each: _joined(text) for each, text in said.items()}, boxes)


def _table_line(
    number: int,
    grid: Grid,
    said: dict[tuple[int, int], str],
    boxes: dict[int, tuple[float, float, float, float]],
) -> Line:
    heights = Counter(round(top - bottom, 1) for _, bottom, _, top in boxes.values())
    return Line(
        text=" ".join(said.values()),
        page=number,
        left=grid.columns[0],
        right=grid.columns[-1],
        bottom=grid.rows[-1],
        size=heights.most_common(1)[0][0],
        bold=False,
        rows=grid.texts(said),
    )


def _joined(characters: Iterable[str]) -> str:
    return seen(_BROKEN_WORD.sub(r"\1", "".join(characters)).replace(_HYPHEN, "-")).strip()


def _line(text_page: Any, number: int, text: str, start: int) -> Line | None:
    shown = [start + place for place, each in enumerate(text) if each.strip()]
    if not shown:
        return None
    boxes: list[tuple[float, float, float, float]] = [text_page.get_charbox(place, loose=True) for place in shown]
    heights = Counter(round(top - bottom, 1) for _, bottom, _, top in boxes)
    size = heights.most_common(1)[0][0]
    return Line(
        text=_joined(text),
        page=number,
        left=min(box[0] for box in boxes),
        right=max(box[2] for box in boxes),
        bottom=boxes[0][1],
        size=size,
        bold=all(_PDFIUM.FPDFText_GetFontWeight(text_page, place) >= _BOLD for place in (shown[0], shown[-1])),
        cells=tuple(_cells(text, [place - start for place in shown], boxes, gap=size * _WIDE_GAP)),
    )


def _cells(
    text: str, shown: list[int], boxes: list[tuple[float, float, float, float]], *, gap: float
) -> Iterator[Cell]:
    """Part a line at its wide gaps; `shown` says which of its characters the boxes belong to."""
    first = 0
    for place in range(1, len(shown) + 1):
        if place == len(shown) or boxes[place][0] - boxes[place - 1][2] > gap:
            inside = boxes[first:place]
            said = _joined(text[shown[first] : shown[place - 1] + 1])
            yield Cell(said, min(box[0] for box in inside), max(box[2] for box in inside))
            first = place


def _character(text_page: Any, place: int) -> str:
    code: int = _PDFIUM.FPDFText_GetUnicode(text_page, place)
    if _PDFIUM.FPDFText_HasUnicodeMapError(text_page, place) != 1:
        return chr(code)
    if _FIRST_GLYPH <= code <= _LAST_GLYPH:
        return chr(code + _TO_ASCII)
    return _GLYPHS.get(code, _UNKNOWN)


def _check(lines: list[Line], *, pages: int) -> None:
    without_text = pages - len({line.page for line in lines})
    if without_text * 2 > pages or not lines:
        sentence = f"{without_text} of {pages} page(s) hold no text, only pictures; make the text readable first (OCR)."
        raise UnreadableFileError(ProblemCode.NO_TEXT_LAYER, sentence)
    unknown = sum(line.text.count(_UNKNOWN) for line in lines)
    if unknown > _MOST_UNKNOWN_SHARE * sum(len(line.text) for line in lines):
        sentence = "The fonts of the file do not say which letters their shapes are; export it again with its text."
        raise UnreadableFileError(ProblemCode.NO_TEXT_LAYER, sentence)
