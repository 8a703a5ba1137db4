"""A version: an immutable, numbered set of revisions with routing policy and calibration."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from contracts.errors import ConflictError, NotFoundError
from contracts.reasons import Language
from knowledge.versions.releasing import VersionState

# So many open pairs of a version are listed: where people have to look at more, something else is wrong with it.
MOST_CONFLICTS: Final = 1_000


class VersionNotFoundError(NotFoundError):
    """There is no version of that number."""


class DocumentNotFoundError(NotFoundError):
    """There is no document of that slug."""


class PublishedMeanwhileError(ConflictError):
    """Another version was published in the meantime; look at what is current and decide again."""

    code = "PUBLISHED_MEANWHILE"


class BaseMovedError(ConflictError):
    """This version builds on one that is not current any more; make it again."""

    code = "BASE_MOVED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version as staff see it.

    `problems` counts faults of files that were left out, `duplicates` passages that say the same, `conflicts` hints
    that people have to look at, the ones that are listed (`conflicts_partial`: not all sentences were compared), `masks` stretches of personal data that were masked. `sentences_pending` counts passages
    whose sentences have no vectors yet. `changes` counts documents against what was current when it was built; None while
    it is not.
    """

    number: int
    state: VersionState
    documents: int
    revisions: int
    passages: int
    problems: int
    duplicates: int
    conflicts: int
    conflicts_partial: bool
    masks: int
    sentences_pending: int
    changes: Mapping[str, int] | None
    reason: str | None
    created_by: str
    created_at: datetime
    staged_at: datetime | None
    evaluated_by: str | None
    evaluated_at: datetime | None
    approved_by: str | None
    approved_at: datetime | None
    published_by: str | None
    published_at: datetime | None
    discarded_by: str | None
    discarded_at: datetime | None

    @property
    def conflicts_cut(self) -> bool:
        """Say whether the list of conflicts is full, so that there may be more than it holds."""
        return self.conflicts >= MOST_CONFLICTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of two sentences that seem to disagree, with where it stands."""

    slug: str
    title: str
    label: str
    heading_path: tuple[str, ...]
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedDocument:
    """A document of the current version, described by its newest revision there."""

    slug: str
    title: str
    label: str
    language: Language
    owner: str | None
    area: str | None
    audience: tuple[str, ...]
    revisions: int
    review_date: date | None
    withdrawn_at: datetime | None
