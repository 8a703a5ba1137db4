"""Write rows for spreadsheets, in which no text of a customer becomes a formula.

Source: RFC 4180 (CSV), OWASP "CSV injection".
"""

import csv
import io
from collections.abc import Iterable
from typing import Final

# Spreadsheets read a cell that begins so as a formula, some also behind white space or in full width.
_FORMULA: Final = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
_BREAKS: Final = ("\t", "\r", "\n")
# Without it the most common spreadsheet reads Chinese text as Latin-1.
BYTE_ORDER_MARK: Final = "\ufeff"


def written_rows(rows: Iterable[Iterable[str]]) -> str:
    """Write rows as CSV, every cell in quotes."""
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([safe(cell) for cell in row] for row in rows)
    return text.getvalue()


def safe(cell: str) -> str:
    """Give a cell that a spreadsheet shows as text: an apostrophe before what could be a formula."""
    is_risky = cell.startswith(_BREAKS) or cell.lstrip().startswith(_FORMULA)
    return f"'{cell}" if is_risky else cell
