"""Finds tables without rules among the lines of a PDF file: texts that stand below each other, row after row.

Only what cannot be running text is taken: three rows or more with the same columns. A row whose first cell was
wrapped, and a table whose cells are stored column by column, stay lines.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from knowledge.ingestion.formats.pdf_lines import Cell, Line

_FEWEST_ROWS: Final = 3
_FEWEST_COLUMNS: Final = 2
# The number or dot of a list item, which is followed by a gap as well.
_ITEM: Final = re.compile(
    r"[^\w\s]|[（(]?\w{1,4}[.)）、]?|\d+(?:\.\d+)*\.?|第\w+[条章节]|article \w+|section [\w.]+", re.IGNORECASE
)
_NEXT_LINE: Final = 1.6


def with_tables(lines: Sequence[Line]) -> Iterator[Line]:
    """Give the lines with every run of rows as one table."""
    at = 0
    while at < len(lines):
        end = _end_of_run(lines, at)
        rows = list(_rows(lines[at:end]))
        if len(rows) < _FEWEST_ROWS or all(_ITEM.fullmatch(row[0]) for row in rows):
            end = at + 1
            yield lines[at]
        else:
            yield replace(lines[at], rows=tuple(rows), text=" ".join(line.text for line in lines[at:end]), bold=False)
        at = end


def _end_of_run(lines: Sequence[Line], at: int) -> int:
    """Give the place after the last line that has the columns of the one at a place, or goes on with its cells."""
    if lines[at].rows or len(lines[at].cells) < _FEWEST_COLUMNS:
        return at + 1
    columns = [(cell.left, cell.right) for cell in lines[at].cells]
    end = at + 1
    while end < len(lines) and lines[end].page == lines[at].page and not lines[end].rows:
        cells = lines[end].cells
        places = _columns_of(cells, columns)
        if places is None or (len(cells) < len(columns) and not _is_wrapped(lines[end - 1], lines[end], places)):
            break
        for cell, place in zip(cells, places, strict=True):
            columns[place] = (min(columns[place][0], cell.left), max(columns[place][1], cell.right))
        end += 1
    return end


def _columns_of(cells: Sequence[Cell], columns: Sequence[tuple[float, float]]) -> list[int] | None:
    """Tell in which column each cell stands; None when one stands in none or in several, or two in one."""
    places: list[int] = []
    for cell in cells:
        below = [at for at, (left, right) in enumerate(columns) if cell.left < right and left < cell.right]
        if len(below) != 1 or below[0] in places:
            return None
        places += below
    return places


def _is_wrapped(before: Line, line: Line, places: Sequence[int]) -> bool:
    """Tell whether a line with some cells only goes on with those of the row before."""
    return 0 not in places and before.bottom - line.bottom <= _NEXT_LINE * line.size


def _rows(lines: Sequence[Line]) -> Iterator[tuple[str, ...]]:
    """Put the cells of wrapped lines to their rows."""
    columns = [(cell.left, cell.right) for cell in lines[0].cells]
    row: list[str] = []
    for line in lines:
        if len(line.cells) == len(columns):
            if row:
                yield tuple(row)
            row = [cell.text for cell in line.cells]
            columns = [(cell.left, cell.right) for cell in line.cells]
            continue
        for cell in line.cells:
            nearest = min(range(len(row)), key=lambda at: abs(columns[at][0] - cell.left))
            row[nearest] = f"{row[nearest]}\n{cell.text}"
    if row:
        yield tuple(row)
