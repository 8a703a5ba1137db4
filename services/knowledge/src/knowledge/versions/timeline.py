"""What became of a document: which texts it got, which version brought or dropped each, when it was withdrawn."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal
from uuid import UUID

from knowledge.versions.document import DocumentRevision

EntryKind = Literal["STORED", "BROUGHT", "DROPPED", "WITHDRAWN", "RESTORED"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """A move of the pointer from one version, or from none, to another."""

    at: datetime
    actor: str
    version: int
    before: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """A withdrawal of the document, or its undoing."""

    at: datetime
    actor: str
    kind: Literal["WITHDRAWN", "RESTORED"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEntry:
    """One thing that happened. `STORED` and withdrawals have no version, withdrawals no revision."""

    at: datetime
    kind: EntryKind
    actor: str | None
    version: int | None
    revision_id: UUID | None
    label: str | None
    effective_from: date | None
    effective_to: date | None


def timeline(
    revisions: Sequence[DocumentRevision], publications: Iterable[Publication], removals: Iterable[Removal]
) -> tuple[TimelineEntry, ...]:
    """Put together what happened to a document, oldest first."""
    entries = [_entry(each, "STORED", at=each.created_at) for each in revisions]
    for publication in publications:
        entries += _moved(revisions, publication)
    entries += [_removal(each) for each in removals]
    return tuple(sorted(entries, key=lambda entry: entry.at))


def _moved(revisions: Sequence[DocumentRevision], publication: Publication) -> Iterator[TimelineEntry]:
    for revision in revisions:
        was, now = publication.before in revision.versions, publication.version in revision.versions
        if was == now:
            continue
        kind: EntryKind = "BROUGHT" if now else "DROPPED"
        yield _entry(revision, kind, at=publication.at, actor=publication.actor, version=publication.version)


def _entry(
    revision: DocumentRevision, kind: EntryKind, *, at: datetime, actor: str | None = None, version: int | None = None
) -> TimelineEntry:
    return TimelineEntry(
        at=at,
        kind=kind,
        actor=actor,
        version=version,
        revision_id=revision.revision_id,
        label=revision.label,
        effective_from=revision.effective_from,
        effective_to=revision.effective_to,
    )


def _removal(removal: Removal) -> TimelineEntry:
    return TimelineEntry(
        at=removal.at,
        kind=removal.kind,
        actor=removal.actor,
        version=None,
        revision_id=None,
        label=None,
        effective_from=None,
        effective_to=None,
    )
