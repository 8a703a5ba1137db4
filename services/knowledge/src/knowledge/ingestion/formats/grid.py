"""Finds tables and notes in the cells of a sheet."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from knowledge.ingestion.formats.outline import Outline


def add_grid(outline: Outline, rows: Iterable[Sequence[str]]) -> None:
    """Add the rows of a sheet: an empty row parts tables, and a row with one text in it above or below one is a note."""
    for is_empty, group in groupby(rows, key=lambda row: _kind(row) == 0):
        if not is_empty:
            _add_block(outline, list(group))


def _add_block(outline: Outline, rows: Sequence[Sequence[str]]) -> None:
    """Add rows that follow each other. Between rows of a table a single text is a row too, else the rest had no head."""
    wide = [place for place, row in enumerate(rows) if _kind(row) > 1]
    first, after = (wide[0], wide[-1] + 1) if wide else (len(rows), len(rows))
    _add_notes(outline, rows[:first])
    if wide:
        outline.add_table(_without_empty_columns(rows[first:after]))
    _add_notes(outline, rows[after:])


def _add_notes(outline: Outline, rows: Iterable[Sequence[str]]) -> None:
    for row in rows:
        outline.add_text(next(cell for cell in row if cell.strip()))


def _kind(row: Sequence[str]) -> int:
    """Tell an empty row (0), a row with one text (1), and a row of a table (2)."""
    return min(sum(1 for cell in row if cell.strip()), 2)


def _without_empty_columns(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    width = max(len(row) for row in rows)
    used = [column for column in range(width) if any(column < len(row) and row[column].strip() for row in rows)]
    return [[row[column] if column < len(row) else "" for column in used] for row in rows]
