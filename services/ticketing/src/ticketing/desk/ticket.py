"""Know what a ticket of the built-in desk is and how a person may move it."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from contracts.errors import ConflictError

DeskStatus = Literal["OPEN", "IN_PROGRESS", "SOLVED"]

_ORDER: Final[dict[DeskStatus, int]] = {"OPEN": 0, "IN_PROGRESS": 1, "SOLVED": 2}
_PREFIX: Final = "T-"
# Nine digits fit the column.
_NUMBER: Final = re.compile(r"T-[0-9]{4,9}")
# Four digits from the start read as a ticket number; "T-1" would read as a first try.
FIRST_NUMBER: Final = 1001


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskTicket:
    """A ticket as the desk shows it. `body` is what the escalation brought, with fields we do not know."""

    number: int
    ticket_key: str
    attempt_id: str
    status: DeskStatus
    priority: str
    body: dict[str, object]
    created_at: datetime
    changed_at: datetime


class TicketMovesForwardError(ConflictError):
    """A ticket only moves forward: open, in progress, solved."""


def move(current: DeskStatus, wanted: DeskStatus) -> bool:
    """Tell whether a wanted status changes anything. Errors: TicketMovesForwardError when it leads backwards."""
    if _ORDER[wanted] < _ORDER[current]:
        raise TicketMovesForwardError
    return wanted != current


def printed_number(number: int) -> str:
    """Print a number as people read it: T-1001."""
    return f"{_PREFIX}{number}"


def parsed_number(text: str) -> int | None:
    """Read a printed number back; None when it is none of ours."""
    return int(text.removeprefix(_PREFIX)) if _NUMBER.fullmatch(text) else None
