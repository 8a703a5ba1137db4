"""What waits for a reviewer: one item an attempt, however many reasons there are to look at it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, Literal
from uuid import UUID

from contracts.errors import ConflictError, NotFoundError


class ReviewReason(StrEnum):
    """Why a person should look at an attempt."""

    LOW_STRENGTH = "LOW_STRENGTH"
    VALIDATION_FAILED = "VALIDATION_FAILED"
    CHECKER_DISAGREES = "CHECKER_DISAGREES"
    NOT_HELPFUL = "NOT_HELPFUL"
    ESCALATED = "ESCALATED"


class Layer(StrEnum):
    """Where the system went wrong, as a reviewer sees it; CORRECT says that it did not."""

    KNOWLEDGE_MISSING = "KNOWLEDGE_MISSING"
    RETRIEVAL_MISS = "RETRIEVAL_MISS"
    RERANK_DROP = "RERANK_DROP"
    UNSUPPORTED_CLAIM = "UNSUPPORTED_CLAIM"
    CHANNEL_COPY = "CHANNEL_COPY"
    ROUTING = "ROUTING"
    CORRECT = "CORRECT"


State = Literal["OPEN", "CLOSED", "ERASED"]

# The lowest comes first. What may have told customers something wrong comes first, what only looks weak comes last. An escalated attempt has a
# person already; a rejected draft was shown to nobody.
PRIORITIES: Final[Mapping[ReviewReason, int]] = {
    ReviewReason.CHECKER_DISAGREES: 1,
    ReviewReason.NOT_HELPFUL: 2,
    ReviewReason.ESCALATED: 3,
    ReviewReason.VALIDATION_FAILED: 4,
    ReviewReason.LOW_STRENGTH: 5,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An attempt in the queue. `held_by` is the reviewer whose lease has not ended."""

    attempt_id: UUID
    reasons: tuple[ReviewReason, ...]
    priority: int
    state: State
    opened_at: datetime
    waiting_since: datetime
    held_by: str | None
    held_until: datetime | None
    verdicts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a reviewer found. Verdicts of an item are numbered from 1; the last one holds, none is overwritten."""

    number: int
    layer: Layer
    note: str | None
    reviewer: str
    decided_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a reviewer says of an attempt; `seen` is the number of the last verdict they have read, 0 for none."""

    layer: Layer
    note: str | None
    seen: int


class ItemNotFoundError(NotFoundError):
    """No such attempt is in the review queue."""


class HeldByAnotherError(ConflictError):
    """Another reviewer has this item."""

    code = "HELD_BY_ANOTHER"


class NotHeldError(ConflictError):
    """Take this item before you act on it; a lease that ended is taken anew."""

    code = "NOT_HELD"


class VerdictMeanwhileError(ConflictError):
    """There is a verdict that you have not seen; read it and decide again."""

    code = "VERDICT_MEANWHILE"

    def __init__(self, last: Verdict | None = None) -> None:
        """Say whose verdict holds, and by which number it is seen."""
        said = last and f"Verdict {last.number}, {last.layer} by {last.reviewer}, holds; read it and decide again."
        super().__init__(said)


class ItemClosedError(ConflictError):
    """This item is not open."""

    code = "ITEM_CLOSED"
