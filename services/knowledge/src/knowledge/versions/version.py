"""A version: an immutable, numbered set of revisions with routing policy and calibration."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from contracts.errors import ConflictError, NotFoundError
from contracts.reasons import Language

VersionState = Literal["DRAFT", "STAGED", "PUBLISHED", "RETIRED", "FAILED"]
SERVABLE: tuple[VersionState, ...] = ("STAGED", "PUBLISHED", "RETIRED")


class VersionNotFoundError(NotFoundError):
    """There is no version of that number."""


class DocumentNotFoundError(NotFoundError):
    """There is no document of that slug."""


class NotPublishableError(ConflictError):
    """This version is not built, so it cannot be published."""

    code = "NOT_PUBLISHABLE"


class PublishedMeanwhileError(ConflictError):
    """Another version was published in the meantime; look at what is current and decide again."""

    code = "PUBLISHED_MEANWHILE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version as staff see it."""

    number: int
    state: VersionState
    documents: int
    revisions: int
    passages: int
    reason: str | None
    created_by: str
    created_at: datetime
    published_by: str | None
    published_at: datetime | None


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


def refuse_unpublishable(state: VersionState, *, number: int) -> None:
    """Let only built versions be published; an older one is how one rolls back. Errors: NotPublishableError."""
    if state not in SERVABLE:
        raise NotPublishableError(f"Version {number} is {state}; only a version that is built can be published.")
