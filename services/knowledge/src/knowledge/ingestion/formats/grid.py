"""Finds tables and notes in the cells of a sheet."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from knowledge.ingestion.formats.outline import Outline


def add_grid(outline: Outline, rows: Iterable[Sequence[str]]) -> None:
    """Add the rows of a sheet: an empty row parts tables, and a row with one text in it is a note."""
    for kind, group in groupby(rows, key=_kind):
        if kind == 1:
            for row in group:
                outline.add_text(next(cell for cell in row if cell.strip()))
        elif kind > 1:
            outline.add_table(_without_empty_columns(list(group)))


def _kind(row: Sequence[str]) -> int:
    """Tell an empty row (0), a row with one text (1), and a row of a table (2)."""
    return min(sum(1 for cell in row if cell.strip()), 2)


def _without_empty_columns(rows: list[Sequence[str]]) -> list[list[str]]:
    width = max(len(row) for row in rows)
    used = [column for column in range(width) if any(column < len(row) and row[column].strip() for row in rows)]
    return [[row[column] if column < len(row) else "" for column in used] for row in rows]
