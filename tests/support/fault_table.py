"""Count what came of every fault, and print it for each guarantee of a helpdesk when the tests are done."""

from collections import Counter
from collections.abc import Collection
from dataclasses import astuple, dataclass, fields
from typing import Final

import pytest

DESK: Final = "native_key (built-in desk)"
_SHORTEST_COLUMN: Final = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What one run with a fault came to. A key without a ticket is lost unless a person was told."""

    keys: int
    tickets: int
    duplicates: int
    losses: int
    needing_attention: int

    @property
    def is_kept(self) -> bool:
        """Say whether every key has one ticket, or none and a person who knows."""
        return self.duplicates == 0 and self.losses == 0


def verdict(tickets: Counter[str], *, keys: Collection[str], needing_attention: Collection[str]) -> Verdict:
    """Judge how many tickets each key has."""
    return Verdict(
        keys=len(keys),
        tickets=sum(tickets[key] for key in keys),
        duplicates=sum(max(tickets[key] - 1, 0) for key in keys),
        losses=sum(not tickets[key] and key not in needing_attention for key in keys),
        needing_attention=len(set(needing_attention) & set(keys)),
    )


_ROWS: Final = dict[tuple[str, str], Counter[str]]()
_COLUMNS: Final = ("runs", *(field.name for field in fields(Verdict)))


def note(guarantee: str, fault: str, found: Verdict) -> None:
    """Add a run to the table."""
    row = _ROWS.setdefault((guarantee, fault), Counter())
    row.update(dict(zip(_COLUMNS, (1, *astuple(found)), strict=True)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the table below the results, the faults of each guarantee together."""
    if not _ROWS:
        return
    terminalreporter.section("faults")
    for line in _lines():
        terminalreporter.write_line(line)


def _lines() -> list[str]:
    widths = [max(len(title) + 2, _SHORTEST_COLUMN) for title in _titles()]
    first, second = (max(len(names[side]) for names in _ROWS) + 2 for side in (0, 1))
    head = f"{'guarantee':<{first}}{'fault':<{second}}"
    lines = [head + "".join(f"{title:>{width}}" for title, width in zip(_titles(), widths, strict=True))]
    for (guarantee, fault), row in sorted(_ROWS.items(), key=lambda each: each[0][0]):
        figures = "".join(f"{row[column]:>{width}}" for column, width in zip(_COLUMNS, widths, strict=True))
        lines.append(f"{guarantee:<{first}}{fault:<{second}}{figures}")
    return lines


def _titles() -> list[str]:
    return [column.replace("_", " ") for column in _COLUMNS]
