"""A document with all its revisions, as staff read it."""

from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from contracts.errors import NotFoundError
from contracts.reasons import Language


class RevisionNotFoundError(NotFoundError):
    """There is no such revision."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRevision:
    """One text of a document with its whole record.

    `declared_to` is the end its author wrote, `effective_to` the one that holds beside its neighbours, both included.
    `versions` lists what holds it, oldest first; `is_current` says that the current version does.
    """

    revision_id: UUID
    slug: str
    label: str
    title: str
    language: Language
    owner: str | None
    area: str | None
    audience: tuple[str, ...]
    tags: tuple[str, ...]
    priority: int
    review_date: date | None
    effective_from: date | None
    effective_to: date | None
    declared_to: date | None
    superseded_by: str | None
    applies_to: str | None
    requires_facts: tuple[str, ...]
    decision: str
    public: bool
    source_url: str | None
    path: str
    content_sha256: str
    created_at: datetime
    versions: tuple[int, ...]
    is_current: bool
    withdrawn_at: datetime | None
