"""Answer again: a new attempt at the original question, linked to the one before it."""

from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

from bff.attempts.asking import AttemptPendingError
from bff.attempts.attempt import Attempt
from contracts.errors import ConflictError

RETRY_LIMIT: Final = 3


LineageEnd = Literal["answered", "refused", "failed", "escalated"]


@dataclass(frozen=True, slots=True)
class EndedLineage:
    """How a question that was answered again ended: as its last attempt did, or with a person."""

    end: LineageEnd
    channel: str
    areas: tuple[str, ...]


class RetryLimitError(ConflictError):
    """This question was answered again as often as it may be; ask for a person instead."""

    code = "RETRY_LIMIT"


def check_retry(original: Attempt, *, retries: int) -> None:
    """Refuse a retry of a running attempt, or past the limit. `retries` counts those of the whole lineage."""
    if original.status == "PENDING":
        raise AttemptPendingError
    if retries >= RETRY_LIMIT:
        raise RetryLimitError


def retried_as_of(original: Attempt, *, asked_on: date, today: date) -> date:
    """Give the day a retry asks about: an explicit earlier day stays, `today` moves on. `asked_on` is its business day."""
    return today if original.as_of == asked_on else original.as_of
