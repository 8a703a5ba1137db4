"""What the staff API says about versions."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field

from contracts.ids import printed
from contracts.model import Outgoing
from knowledge.api.document_views import FieldChangeView
from knowledge.api.evaluation_views import GateView
from knowledge.api.places import refuse_control
from knowledge.versions.conflicts import ListedConflict
from knowledge.versions.differences import DocumentChange, RevisionChange
from knowledge.versions.document import DocumentRevision
from knowledge.versions.releasing import VersionState
from knowledge.versions.version import Side, Version

Told = Annotated[str, AfterValidator(refuse_control)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class VersionView(Outgoing):
    """A version and how it came about.

    `problems` counts faults of files that were left out, `duplicates` passages that say the same, `conflicts` sentences
    that people have to compare (at least so many where `conflicts_cut`; `conflicts_partial` says that the version is so
    large that only passages under headings of the same words were compared), `masks` stretches of personal data that were masked. `sentences_pending` counts passages
    whose sentences still wait for vectors in the background: until then a search compares such a passage as a whole.
    `changes` counts documents that were added, changed, removed or stayed against what was current when it was built.
    """

    number: int
    state: VersionState
    documents: int
    revisions: int
    passages: int
    problems: int
    duplicates: int
    conflicts: int
    conflicts_cut: bool
    conflicts_partial: bool
    masks: int
    sentences_pending: int
    changes: dict[str, int] | None
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


class VersionPage(Outgoing):
    """A page of versions, newest first."""

    items: tuple[VersionView, ...]
    next_cursor: str | None


class Rate(Outgoing):
    """So many out of so many."""

    number: int = Field(ge=0)
    out_of: int = Field(ge=0, alias="out_of")


class Measured(Outgoing):
    """What an evaluation measured over some questions."""

    questions: int = Field(ge=0)
    failures: int = Field(ge=0)
    routes_right: Rate
    evidence_hits: Rate
    quotes_verbatim: Rate
    unsupported_claims: Rate
    wrong_answers: Rate
    needless_refusals: Rate
    stale_citations: Rate
    escalations_answered: int = Field(ge=0)
    seconds_p50: Seconds | None = Field(alias="secondsP50")
    seconds_p95: Seconds | None = Field(alias="secondsP95")


class MeasuredGroup(Measured):
    """What was measured over the questions of one category and language."""

    category: Told = Field(max_length=100)
    lang: Told = Field(max_length=20)


class Evaluation(Outgoing):
    """The summary that `youju eval --json` writes; its single questions are not kept."""

    model_config = ConfigDict(extra="ignore")

    total: Measured
    missed_bars: tuple[Told, ...] = Field(max_length=50)
    groups: tuple[MeasuredGroup, ...] = Field(max_length=200)


class SideView(Outgoing):
    """One of two sentences that seem to disagree."""

    slug: str
    title: str
    label: str
    heading_path: tuple[str, ...]
    sentence: str


class ConflictView(Outgoing):
    """Two sentences of one version that seem to disagree: a hint, not a verdict."""

    one: SideView
    other: SideView


class VersionDetail(VersionView):
    """A version with all that a publisher looks at before approving it; of the open conflicts the first hundred."""

    evaluation: Evaluation | None
    masks_by_kind: dict[str, int]
    conflict_hints: tuple[ConflictView, ...]
    gate: GateView


class Publication(Outgoing):
    """What the publisher believes to be current; when given, anything else is a conflict."""

    expected_current: int | None = None


class Published(Outgoing):
    """The version that answers from now on."""

    version: int


class RevisionChangeView(Outgoing):
    """A revision that differs between two versions."""

    label: str
    kind: str
    before: str | None
    after: str | None
    fields: tuple[FieldChangeView, ...]
    text_changed: bool


class DocumentChangeView(Outgoing):
    """A document that differs between two versions."""

    slug: str
    kind: str
    revisions: tuple[RevisionChangeView, ...]


class DifferencePage(Outgoing):
    """A page of documents that differ between two versions, by slug.

    The first page also tells in `behind` how routing policy and fitted calibration differ: each leaf by its path, and of
    a list what one side alone holds.
    """

    before: int
    after: int
    behind: tuple[FieldChangeView, ...]
    items: tuple[DocumentChangeView, ...]
    next_cursor: str | None


def version_view(version: Version) -> VersionView:
    """Show a version."""
    return VersionView.model_validate(version, from_attributes=True)


def conflict_view(conflict: ListedConflict) -> ConflictView:
    """Show two sentences that seem to disagree."""
    return ConflictView(one=_side(conflict.one), other=_side(conflict.other))


def change_view(change: DocumentChange) -> DocumentChangeView:
    """Show what became of a document."""
    revisions = tuple(_revision_change(each) for each in change.revisions)
    return DocumentChangeView(slug=change.slug, kind=change.kind, revisions=revisions)


def _side(side: Side) -> SideView:
    return SideView.model_validate(side, from_attributes=True)


def _revision_change(change: RevisionChange) -> RevisionChangeView:
    return RevisionChangeView(
        label=change.label,
        kind=change.kind,
        before=_id(change.before),
        after=_id(change.after),
        fields=tuple(FieldChangeView.model_validate(each, from_attributes=True) for each in change.fields),
        text_changed=change.text_changed,
    )


def _id(revision: DocumentRevision | None) -> str | None:
    return None if revision is None else printed("rev", revision.revision_id)
