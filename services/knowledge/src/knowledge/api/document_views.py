"""What the staff API says about documents and their revisions."""

from datetime import date, datetime
from typing import Literal

from contracts.ids import printed
from contracts.model import Outgoing
from contracts.reasons import Language
from knowledge.versions.agenda import Agenda, Rule, leaves_a_gap
from knowledge.versions.diffing import Change
from knowledge.versions.document import DocumentRevision
from knowledge.versions.timeline import TimelineEntry
from knowledge.versions.version import PublishedDocument


class DocumentView(Outgoing):
    """A document of the current version, described by its newest revision."""

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


class DocumentPage(Outgoing):
    """A page of documents by slug."""

    items: tuple[DocumentView, ...]
    next_cursor: str | None


class RevisionView(Outgoing):
    """A revision with its whole record. Both ends are included in the days; `declaredTo` is what its author wrote."""

    revision_id: str
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


class DocumentDetail(Outgoing):
    """A document with all revisions it ever had, in the order of their first days."""

    slug: str
    revisions: tuple[RevisionView, ...]


class RevisionText(RevisionView):
    """A revision with its masked normal form: what quotes and places refer to."""

    text: str


class TimelineEntryView(Outgoing):
    """One thing that happened to a document."""

    at: datetime
    kind: Literal["STORED", "BROUGHT", "DROPPED", "WITHDRAWN", "RESTORED"]
    actor: str | None
    version: int | None
    revision_id: str | None
    label: str | None
    effective_from: date | None
    effective_to: date | None


class Timeline(Outgoing):
    """What became of a document, oldest first."""

    slug: str
    entries: tuple[TimelineEntryView, ...]


class FieldChangeView(Outgoing):
    """A field of a record before and after, as text."""

    field: str
    before: str | None
    after: str | None


class PieceView(Outgoing):
    """A stretch of a changed sentence."""

    kind: Literal["same", "removed", "added"]
    text: str


class ChangeView(Outgoing):
    """One sentence in both texts, or in one of them. `skipped` stands for so many unchanged sentences."""

    kind: Literal["same", "removed", "added", "changed", "skipped"]
    before: str | None
    after: str | None
    pieces: tuple[PieceView, ...]
    sentences: int


class RevisionDifference(Outgoing):
    """What changed between two revisions: in the record, and in the text."""

    before: str
    after: str
    fields: tuple[FieldChangeView, ...]
    changes: tuple[ChangeView, ...]


class RuleView(Outgoing):
    """A rule with its days. `leavesGap` says that nothing follows on the day after its last one."""

    slug: str
    label: str
    title: str
    owner: str | None
    area: str | None
    review_date: date | None
    effective_from: date | None
    effective_to: date | None
    leaves_gap: bool


class AgendaView(Outgoing):
    """What owners have to look at, the most pressing first."""

    today: date
    days: int
    overdue: tuple[RuleView, ...]
    upcoming: tuple[RuleView, ...]
    expiring: tuple[RuleView, ...]


class Withdrawal(Outgoing):
    """Since when a document is withdrawn, and how many answers of the past cited it."""

    slug: str
    withdrawn_at: datetime
    answers: int


class Restored(Outgoing):
    """A document that may answer again."""

    slug: str


def document_view(document: PublishedDocument) -> DocumentView:
    """Show a document in a list."""
    return DocumentView.model_validate(document, from_attributes=True)


def revision_view(revision: DocumentRevision) -> RevisionView:
    """Show a revision."""
    return RevisionView.model_validate(_told(revision))


def revision_with_text(revision: DocumentRevision, text: str) -> RevisionText:
    """Show a revision with its text."""
    return RevisionText.model_validate(_told(revision) | {"text": text})


def entry_view(entry: TimelineEntry) -> TimelineEntryView:
    """Show an entry of a timeline."""
    fields: dict[str, object] = {name: getattr(entry, name) for name in entry.__slots__}
    revision_id = None if entry.revision_id is None else printed("rev", entry.revision_id)
    return TimelineEntryView.model_validate(fields | {"revision_id": revision_id})


def text_change_view(change: Change) -> ChangeView:
    """Show what became of a sentence."""
    return ChangeView(
        kind=change.kind,
        before=change.before,
        after=change.after,
        pieces=tuple(PieceView(kind=piece.kind, text=piece.text) for piece in change.pieces),
        sentences=change.sentences,
    )


def agenda_view(found: Agenda, *, today: date, days: int) -> AgendaView:
    """Show what is due."""
    return AgendaView(
        today=today,
        days=days,
        overdue=tuple(_rule(each) for each in found.overdue),
        upcoming=tuple(_rule(each) for each in found.upcoming),
        expiring=tuple(_rule(each) for each in found.expiring),
    )


def _told(revision: DocumentRevision) -> dict[str, object]:
    fields: dict[str, object] = {name: getattr(revision, name) for name in revision.__slots__}
    return fields | {"revision_id": printed("rev", revision.revision_id)}


def _rule(rule: Rule) -> RuleView:
    fields: dict[str, object] = {name: getattr(rule, name) for name in rule.__slots__ if name != "follower"}
    return RuleView.model_validate(fields | {"leaves_gap": leaves_a_gap(rule)})
