"""Reads a workbook: every sheet that is shown, with the values its formulas had when it was saved."""

import datetime as dt
import io
import warnings
from collections.abc import Iterator
from threading import Lock
from typing import Any, Final
from zipfile import ZipFile

from defusedxml import ElementTree
from openpyxl import load_workbook
from openpyxl.utils.cell import column_index_from_string, range_boundaries
from openpyxl.worksheet.worksheet import Worksheet

from knowledge.ingestion.formats.faults import UnreadableFileError
from knowledge.ingestion.formats.grid import add_grid
from knowledge.ingestion.formats.outline import Outline
from knowledge.ingestion.formats.package import open_package
from knowledge.ingestion.problems import ProblemCode

# The filters of warnings belong to the process, and a worker has several threads.
_ONE_AT_A_TIME: Final = Lock()
_MOST_CELLS: Final = 1_000_000
_SHEETS: Final = "xl/worksheets/"
_MERGED: Final = "}mergeCell"
_SHOWN: Final = "visible"
_DIGITS: Final = 12


def read_xlsx(content: bytes) -> str:
    """Give the sheets, each under its name.

    Errors: UnreadableFileError when it has a password, is damaged, or holds too many cells.
    """
    _check_merged(open_package(content))
    # What openpyxl does not know (validations, extensions) it says as warnings, and none of it is text.
    with _ONE_AT_A_TIME, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        workbook = load_workbook(io.BytesIO(content), data_only=True, keep_links=False)
    outline = Outline()
    for sheet in workbook.worksheets:
        if sheet.sheet_state == _SHOWN:
            _add_sheet(outline, sheet)
    return outline.written()


def _add_sheet(outline: Outline, sheet: Worksheet) -> None:
    if sheet.max_row * sheet.max_column > _MOST_CELLS:
        raise _too_many()
    rows = list(_rows(sheet))
    if any(cell.strip() for row in rows for cell in row):
        outline.add_heading(1, sheet.title)
        add_grid(outline, rows)


def _rows(sheet: Worksheet) -> Iterator[list[str]]:
    above = _reaching_down(sheet)
    hidden = _hidden_columns(sheet)
    for number, row in enumerate(sheet.iter_rows(), 1):
        if number in sheet.row_dimensions and sheet.row_dimensions[number].hidden:
            continue
        shown = (cell for column, cell in enumerate(row, 1) if column not in hidden)
        yield [above.get((number, cell.column or 0)) or _shown(cell.value, cell.number_format) for cell in shown]


def _reaching_down(sheet: Worksheet) -> dict[tuple[int, int], str]:
    """Give what cells merged downwards say in their later rows."""
    said: dict[tuple[int, int], str] = {}
    for area in sheet.merged_cells.ranges:
        first = sheet.cell(area.min_row, area.min_col)
        for row in range(area.min_row + 1, area.max_row + 1):
            said[row, area.min_col] = _shown(first.value, first.number_format)
    return said


def _hidden_columns(sheet: Worksheet) -> set[int]:
    hidden: set[int] = set()
    for letters, said in sheet.column_dimensions.items():
        if said.hidden:
            first = said.min or column_index_from_string(letters)
            hidden.update(range(first, (said.max or first) + 1))
    return hidden


def _shown(value: Any, number_format: str) -> str:  # a cell holds any of Excel's types
    if value is None:
        return ""
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == dt.time() else value.isoformat(" ", "minutes")
    if isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool)):
        # Twelve digits are what Excel shows of a number; the rest is the noise of binary fractions.
        percent = number_format.endswith("%")
        number = (
            f"{value * 100 if percent else value:.{_DIGITS}g}" if isinstance(value, float) or percent else str(value)
        )
        return f"{number}%" if percent else number
    return str(value)


def _check_merged(package: ZipFile) -> None:
    """Refuse merged ranges that would unfold to too many cells before anything unfolds them."""
    cells = 0
    for name in package.namelist():
        if not name.startswith(_SHEETS) or not name.endswith(".xml"):
            continue
        for _, element in ElementTree.iterparse(package.open(name), forbid_dtd=True):
            if element.tag.endswith(_MERGED):
                cells += _size(element.get("ref", ""))
            element.clear()
            if cells > _MOST_CELLS:
                raise _too_many()


def _size(area: str) -> int:
    first_column, first_row, last_column, last_row = (each or 1 for each in range_boundaries(area))
    return (last_column - first_column + 1) * (last_row - first_row + 1)


def _too_many() -> UnreadableFileError:
    return UnreadableFileError(ProblemCode.TOO_LARGE, f"A sheet reaches over more than {_MOST_CELLS:,} cells.")
