"""What changed between two versions: documents that came, went or changed, and which fields of their record did."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal

from knowledge.versions.document import DocumentRevision

Kind = Literal["added", "removed", "changed"]

_FIELDS: Final = (
    "title", "language", "owner", "area", "audience", "tags", "priority", "review_date", "effective_from",
    "effective_to", "superseded_by", "applies_to", "requires_facts", "decision", "public", "source_url",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """A field of a record before and after, as text; None is not given."""

    field: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionChange:
    """A revision of a document that is in one of the versions only, or under the same label in both but different."""

    label: str
    kind: Kind
    before: DocumentRevision | None
    after: DocumentRevision | None
    fields: tuple[FieldChange, ...]
    text_changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentChange:
    """A document that differs between two versions."""

    slug: str
    kind: Kind
    revisions: tuple[RevisionChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """A document's revisions that only one of the versions holds, and whether each version has the document at all."""

    before: tuple[DocumentRevision, ...]
    after: tuple[DocumentRevision, ...]
    was_there: bool
    is_there: bool


def changed_fields(before: DocumentRevision, after: DocumentRevision) -> tuple[FieldChange, ...]:
    """List the fields in which two records differ."""
    pairs = ((name, _told(getattr(before, name)), _told(getattr(after, name))) for name in _FIELDS)
    return tuple(FieldChange(field=name, before=one, after=other) for name, one, other in pairs if one != other)


def changed_documents(documents: Mapping[str, Sides]) -> tuple[DocumentChange, ...]:
    """Say of every document what became of it, by slug."""
    return tuple(_document(slug, sides) for slug, sides in sorted(documents.items()))


def _document(slug: str, sides: Sides) -> DocumentChange:
    kind: Kind = "changed" if sides.was_there and sides.is_there else "added" if sides.is_there else "removed"
    return DocumentChange(slug=slug, kind=kind, revisions=tuple(_revisions(sides)))


def _revisions(sides: Sides) -> Iterable[RevisionChange]:
    placed = [(each.label, 0, each) for each in sides.before] + [(each.label, 1, each) for each in sides.after]
    ordered = sorted(placed, key=lambda each: each[:2])
    for label, group in groupby(ordered, key=lambda each: each[0]):
        found = {side: revision for _, side, revision in group}
        yield _revision(label, found.get(0), found.get(1))


def _revision(label: str, before: DocumentRevision | None, after: DocumentRevision | None) -> RevisionChange:
    if before is not None and after is not None:
        fields, text_changed = changed_fields(before, after), before.content_sha256 != after.content_sha256
        kind: Kind = "changed"
    else:
        fields, text_changed, kind = (), True, "added" if before is None else "removed"
    return RevisionChange(label=label, kind=kind, before=before, after=after, fields=fields, text_changed=text_changed)


def _told(value: object) -> str | None:
    if isinstance(value, tuple):
        return ", ".join(str(each) for each in value) or None  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # a tuple of a record's strings
    return None if value is None else str(value)
