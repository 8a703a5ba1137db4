"""Pairs of sentences that seem to disagree: as owners see them, and as they keep an answer back."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from contracts.errors import NotFoundError
from knowledge.versions.version import Side


class ConflictNotFoundError(NotFoundError):
    """There is no such pair of sentences in a version that answers or may come to answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dismissal:
    """Why a pair may stand, and who said so."""

    reason: str
    dismissed_by: str
    dismissed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedConflict:
    """Two sentences that seem to disagree. `key` outlives the version while neither sentence changes."""

    ordinal: int
    key: str
    one: Side
    other: Side
    dismissal: Dismissal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownConflict:
    """A sentence of a passage that disagrees with one of another passage in force, and nobody has let both stand."""

    passage_id: UUID
    start: int
    end: int
    other_passage_id: UUID
    other_sentence: str
