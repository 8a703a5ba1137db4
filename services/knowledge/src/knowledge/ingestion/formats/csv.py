"""Reads a table of separated values; its separator is found out."""

import csv
import io
from typing import Final

from knowledge.ingestion.formats.encodings import decode_text
from knowledge.ingestion.formats.faults import UnreadableFileError
from knowledge.ingestion.formats.grid import add_grid
from knowledge.ingestion.formats.outline import Outline
from knowledge.ingestion.problems import ProblemCode

_SEPARATORS: Final = ",;\t|"
_LOOKED_AT: Final = 20
_QUOTED: Final = '"'


def read_csv(content: bytes) -> str:
    """Give the rows as a table.

    Errors: UnreadableFileError when the encoding is unknown or a quotation mark is never closed.
    """
    text = decode_text(content)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text), strict=True))
    except csv.Error as broken:
        raise UnreadableFileError(
            ProblemCode.DAMAGED, f"The file is no table of separated values: {broken}."
        ) from broken
    outline = Outline()
    # Such a file is one table, so that a line without values parts nothing.
    add_grid(outline, (row for row in rows if any(cell.strip() for cell in row)))
    return outline.written()


def _separator(text: str) -> str:
    """Take the character that stands in the first rows most evenly, a comma when none does."""
    lines = [_outside_quotes(line) for line in text.split("\n", _LOOKED_AT)[:_LOOKED_AT] if line.strip()]
    return max(_SEPARATORS, key=lambda separator: min((line.count(separator) for line in lines), default=0))


def _outside_quotes(line: str) -> str:
    return "".join(line.split(_QUOTED)[::2])
