"""Reads a PDF file: paragraphs put together from its lines, headings by their size, lists by their marks.

A PDF says where letters stand and nothing else. Headers, footers and page numbers that come back page after page are
left out. Tables come out row by row where rules or columns tell their cells, else line by line.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Final, Literal

from knowledge.ingestion.formats.outline import Outline
from knowledge.ingestion.formats.paged_text import PagedText
from knowledge.ingestion.formats.pdf_columns import with_tables
from knowledge.ingestion.formats.pdf_lines import Line, read_lines

_PAGE_NUMBER: Final = re.compile(r"\W*(?:第\s*|page\s+)?\d{1,4}\s*(?:页|(?:/|of)\s*\d{1,4})?\W*$", re.IGNORECASE)
_NUMBER: Final = re.compile(r"\d+|\b[ivxlc]+$")
# A line of a table of contents, or one that only draws a rule.
_NO_TEXT: Final = re.compile(r".*(?:\.\s?){5,}\s*(?:\d+|[ivxlc]+)?$|[\W_]+$")
_EDGE_LINES: Final = 2
_FEWEST_PAGES: Final = 3

_LARGER: Final = 1.12
_LONGEST_HEADING: Final = 120
_LONGEST_BOLD_HEADING: Final = 90
_DEEPEST: Final = 5
_ENDS: Final = re.compile(r"[.。!！?？:：;；…][”’」』）)\"']*$")
_NO_HEADING: Final = re.compile(r"[.。,，;；]$")
_HAS_LETTERS: Final = re.compile(r"[^\W\d_]{2}")

_BULLET: Final = re.compile(r"[•·▪●◦○■\uf0b7\uf0a7]\s*")
_MARK: Final = re.compile(
    r"[-–*]\s|\d{1,3}(?:\.\d{1,3})*[.)）]?\s|\d{1,3}、|[(（]\w{1,4}[)）]|[a-zA-Z][.)]\s|第[^\s]{1,7}[条章节]|[一二三四五六七八九十]{1,3}、"
)
_FULL_SHARE: Final = 0.85
_WIDEST_GAP: Final = 1.9


def read_pdf(content: bytes) -> PagedText:
    """Give the text of all pages.

    Errors: UnreadableFileError when it has a password, is damaged, too long, or holds no text.
    """
    lines = list(with_tables(_without_frame(read_lines(content))))
    if not lines:
        return PagedText("")
    levels = _levels(lines)
    edges = min(line.left for line in lines), max(line.right for line in lines)
    outline = Outline()
    for level, group in groupby(lines, key=lambda line: _level(line, levels, edges)):
        if level is None:
            _add_paragraphs(outline, list(group))
        else:
            _add_headings(outline, level, list(group))
    return outline.paged()


def _without_frame(lines: list[Line]) -> list[Line]:
    """Leave out what stands at the edge of half of the pages, its digits aside, and page numbers."""
    pages = [list(group) for _, group in groupby(lines, key=lambda line: line.page)]
    repeated = Counter(key for page in pages for key in {_frame_key(line) for line in _edges(page)})
    most = max(_FEWEST_PAGES, len(pages) / 2)
    return [
        line
        for page in pages
        for line in page
        if line not in _edges(page) or not (_PAGE_NUMBER.match(line.text) or repeated[_frame_key(line)] >= most)
    ]


def _edges(page: list[Line]) -> list[Line]:
    return [*page[:_EDGE_LINES], *page[-_EDGE_LINES:]]


def _frame_key(line: Line) -> str:
    return _NUMBER.sub("0", line.text)


def _levels(lines: list[Line]) -> dict[float, int]:
    """Give the level of every size that is larger than that of most of the text; zero stands for bold lines and capitals."""
    weights: Counter[float] = Counter()
    for line in lines:
        weights[line.size] += len(line.text)
    body = weights.most_common(1)[0][0] if weights else 0.0
    larger = sorted((size for size in weights if size >= body * _LARGER), reverse=True)
    levels = {size: min(place, _DEEPEST) for place, size in enumerate(larger, 1)}
    return levels | {0.0: min(len(larger) + 1, _DEEPEST + 1)}


def _level(line: Line, levels: dict[float, int], edges: tuple[float, float]) -> int | None:
    if line.rows or not _HAS_LETTERS.search(line.text) or _NO_HEADING.search(line.text):
        return None
    # A line that fills the page was wrapped: some fonts are taller than others at one size.
    if line.size in levels and len(line.text) <= _LONGEST_HEADING and not _is_full(line, edges):
        return levels[line.size]
    stands_out = line.bold or line.text.isupper()
    return levels[0.0] if stands_out and len(line.text) <= _LONGEST_BOLD_HEADING else None


def _add_headings(outline: Outline, level: int, lines: list[Line]) -> None:
    """Add headings; a whole paragraph in bold or large letters stays a text that can be quoted."""
    for page, text in _joined(lines, _same_heading):
        outline.open_page(page)
        if len(text) <= _LONGEST_HEADING:
            outline.add_heading(level, text)
        else:
            outline.add_text(text)


def _same_heading(before: Line, line: Line) -> bool:
    return before.page == line.page and _is_near(before, line) and not _MARK.match(line.text)


def _add_paragraphs(outline: Outline, lines: list[Line]) -> None:
    for kind, group in groupby(lines, key=_kind):
        if kind == "table":
            _add_tables(outline, list(group))
        elif kind == "text":
            _add_texts(outline, list(group))


def _kind(line: Line) -> Literal["table", "text", "none"]:
    if line.rows:
        return "table"
    return "none" if _NO_TEXT.match(line.text) else "text"


def _add_tables(outline: Outline, lines: list[Line]) -> None:
    """Add tables; one that goes on from page to page is one."""
    rows: list[tuple[str, ...]] = []
    for place, line in enumerate(lines):
        if not place or not _goes_on_below(lines[place - 1], line):
            outline.add_table(rows)
            outline.open_page(line.page + 1)
            rows = []
        rows += line.rows[1:] if rows and line.rows[0] == rows[0] else line.rows
    outline.add_table(rows)


def _goes_on_below(before: Line, line: Line) -> bool:
    is_next = before.page + 1 == line.page and len(before.rows[0]) == len(line.rows[0])
    return is_next and abs(before.left - line.left) < line.size and abs(before.right - line.right) < line.size


def _add_texts(outline: Outline, lines: list[Line]) -> None:
    edges = _edges_of_text(lines)

    def goes_on(before: Line, line: Line) -> bool:
        return _goes_on(before, line, edges[before.page])

    for page, text in _joined(lines, goes_on):
        outline.open_page(page)
        bullet = _BULLET.match(text)
        if bullet is None:
            outline.add_text(text)
            continue
        outline.open_item("-")
        outline.add_text(text[bullet.end() :])
        outline.close_item()


def _joined(lines: list[Line], goes_on: Callable[[Line, Line], bool]) -> Iterator[tuple[int, str]]:
    """Join lines; give each text with the page on which it begins."""
    open_lines: list[Line] = []
    for line in lines:
        if open_lines and not goes_on(open_lines[-1], line):
            yield open_lines[0].page + 1, "\n".join(each.text for each in open_lines)
            open_lines = []
        open_lines.append(line)
    yield open_lines[0].page + 1, "\n".join(each.text for each in open_lines)


def _edges_of_text(lines: list[Line]) -> dict[int, tuple[float, float]]:
    """Give the left and right edge of the text of every page."""
    edges: dict[int, tuple[float, float]] = {}
    for line in lines:
        left, right = edges.get(line.page, (line.left, line.right))
        edges[line.page] = (min(left, line.left), max(right, line.right))
    return edges


def _goes_on(before: Line, line: Line, edges: tuple[float, float]) -> bool:
    if _MARK.match(line.text) or _BULLET.match(line.text) or _ENDS.search(before.text):
        return False
    if before.page == line.page and not _is_near(before, line):
        return False
    if line.text[:1].islower():
        return True
    return _is_full(before, edges)


def _is_full(line: Line, edges: tuple[float, float]) -> bool:
    left, right = edges
    return line.right - left >= _FULL_SHARE * (right - left)


def _is_near(before: Line, line: Line) -> bool:
    return abs(before.bottom - line.bottom) <= _WIDEST_GAP * max(before.size, line.size)
