"""Writes what a format says with the marks of Markdown, so that one splitter finds headings, items and rows of all."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from knowledge.ingestion.formats.faults import UnreadableFileError
from knowledge.ingestion.problems import ProblemCode

_UNSEEN: Final = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u200b\u2060\ufeff\ud800-\udfff]")
_WIDE: Final = r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]"
_WRAPPED_WIDE: Final = re.compile(rf"(?<={_WIDE})[ \t]*\n\s*(?={_WIDE})")
_SPACE: Final = re.compile(r"\s+")
# A paragraph that begins so would be taken for the address of a link and vanish, or for another mark.
_MARK: Final = re.compile(r"\[[^\]]*\]:|#{1,9}\s|>|```|~~~|<!--|[-=*_](?:\s*[-=*_]){2,}$")
# Markdown itself knows six; the splitter knows the others of Word.
_DEEPEST_HEADING: Final = 9
# A table whose rows have more characters than this says its head again, so that each part fits into a passage.
ROWS_A_HEAD: Final = 400
_MOST_CELLS: Final = 500_000


def seen(text: str) -> str:
    """Take out characters that nobody sees."""
    return _UNSEEN.sub("", text)


def one_line(text: str) -> str:
    """Join the lines of a text: a wrapped Chinese line without a space, and without characters that nobody sees."""
    joined = _WRAPPED_WIDE.sub("", seen(text).strip())
    return _SPACE.sub(" ", joined).strip()


def paragraph(text: str) -> str:
    """Write a paragraph on one line. Shapes: empty when there is nothing to read."""
    line = one_line(text)
    return f"\\{line}" if _MARK.match(line) else line


def heading(level: int, text: str) -> str:
    """Write a heading. Shapes: empty when there is nothing to read."""
    line = one_line(text)
    return f"{'#' * max(1, min(level, _DEEPEST_HEADING))} {line}" if line else ""


def table(rows: Sequence[Sequence[str]]) -> str:
    """Write a table whose first row is its head; a long one repeats the head, so that no row stands without it.

    Errors: UnreadableFileError when it has too many cells.
    """
    filled = [[_cell(cell) for cell in row] for row in rows if any(one_line(cell) for cell in row)]
    if not filled:
        return ""
    width = max(len(row) for row in filled)
    if width * len(filled) > _MOST_CELLS:
        raise UnreadableFileError(ProblemCode.TOO_LARGE, f"A table has more than {_MOST_CELLS:,} cells.")
    lines = [_row([*row, *[""] * (width - len(row))]) for row in filled]
    rule = _row(["---"] * width)
    return "\n\n".join("\n".join((lines[0], rule, *part)) for part in _parts(lines[1:]))


def _parts(lines: list[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for line in lines:
        if part and sum(map(len, part)) + len(line) > ROWS_A_HEAD:
            yield part
            part = []
        part.append(line)
    yield part


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return one_line(text).replace("\\", "\\\\").replace("|", "\\|")
