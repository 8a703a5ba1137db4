"""What a search did with every passage it could have used: for staff, who may know of what a customer must not see."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from contracts.reasons import Language
from knowledge.retrieval.passage import Scores


class Fate(StrEnum):
    """What became of a passage."""

    IN_CONTEXT = "in_context"
    BEYOND_LIMIT = "beyond_limit"
    BELOW_THRESHOLD = "below_threshold"
    OTHER_AUDIENCE = "other_audience"
    NOT_IN_FORCE = "not_in_force"
    WITHDRAWN = "withdrawn"
    NOT_IN_VERSION = "not_in_version"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmCandidates:
    """What one arm brings by itself, best first. `built_with` names what made its part of the index."""

    name: str
    built_with: str | None
    is_used: bool
    candidates: tuple[tuple[UUID, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A passage with what decides whether it may serve."""

    passage_id: UUID
    document: str
    title: str
    section: str
    revision: str
    language: Language
    text: str
    is_visible: bool
    is_in_force: bool
    is_in_version: bool
    withdrawn_at: datetime | None
    page: int | None
    line: int
    applies_to: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspected:
    """A passage with its scores, its strength as evidence, and what became of it."""

    record: Record
    scores: Scores
    strength: float
    fates: tuple[Fate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """A search, opened up. `passages` are in the order of the search, those that fell out among the others."""

    version: int
    terms: dict[str, float]
    arms: tuple[ArmCandidates, ...]
    passages: tuple[Inspected, ...]


class Inspector(Protocol):
    """Opens searches up."""

    async def inspect(
        self, *, tenant: str, segments: tuple[str, ...], question: str, as_of: date, version: int | None
    ) -> Inspection:
        """Search as a customer with these segments would, and beside it without any condition.

        Errors: as `Searcher.search`.
        """
        ...


def fates_of(record: Record, *, strength: float, refuse_below: float, in_context: Sequence[UUID]) -> tuple[Fate, ...]:
    """Say what became of a passage: every condition it fails, or how far it came."""
    failed = (
        (Fate.NOT_IN_VERSION, not record.is_in_version),
        (Fate.OTHER_AUDIENCE, not record.is_visible),
        (Fate.NOT_IN_FORCE, not record.is_in_force),
        (Fate.WITHDRAWN, record.withdrawn_at is not None),
    )
    hidden = tuple(fate for fate, has_failed in failed if has_failed)
    if hidden:
        return hidden
    reached = Fate.IN_CONTEXT if record.passage_id in in_context else Fate.BEYOND_LIMIT
    return (reached, Fate.BELOW_THRESHOLD) if strength < refuse_below else (reached,)
