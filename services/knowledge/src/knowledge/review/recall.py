"""Which answers of the past lean on a text that is withdrawn or replaced."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from knowledge.versions.acts import document_subject, version_subject
from knowledge.versions.notices import Item, NoticeDraft

_MOST_ITEMS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class CitingAnswer:
    """An answer that cited a revision. The question is masked, and None where the customer was erased."""

    attempt_id: UUID
    revision_id: UUID
    label: str
    question: str | None
    closed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedRevision:
    """A revision that went, and how many answers cited it."""

    slug: str
    label: str
    owner: str | None
    answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """A document that was withdrawn after answers had cited it."""

    slug: str
    withdrawn_at: datetime
    revisions: tuple[CitedRevision, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """A publication that took texts away which answers cite; `period` is its moment, because a version may come again."""

    version: int
    period: str
    revisions: tuple[CitedRevision, ...]


def withdrawn_draft(withdrawn: Withdrawn) -> NoticeDraft:
    """Draft that answers lean on a document that was withdrawn. There is one for each withdrawal."""
    subject = document_subject(withdrawn.slug)
    return _draft(subject, withdrawn.revisions, period=withdrawn.withdrawn_at.isoformat())


def replaced_draft(replaced: Replaced) -> NoticeDraft:
    """Draft that answers lean on texts that a version no longer holds. There is one for each time it became current."""
    return _draft(version_subject(replaced.version), replaced.revisions, period=replaced.period)


def _draft(subject: str, revisions: Sequence[CitedRevision], *, period: str) -> NoticeDraft:
    items: tuple[Item, ...] = tuple(
        {"slug": each.slug, "label": each.label, "owner": each.owner, "answers": each.answers} for each in revisions
    )
    return NoticeDraft(kind="RECALL", subject=subject, period=period, items=items[:_MOST_ITEMS])
