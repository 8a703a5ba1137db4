"""Look at versions and documents over the staff API, and move them: approve, publish, discard, withdraw."""

import time
from collections.abc import Callable, Iterator
from datetime import date, datetime
from typing import Final
from urllib.parse import quote

import httpx

from youju.http import Body, checked, parsed
from youju.paging import Page, pages
from youju.tenants import of_tenant
from youju.trouble import Trouble

_POLL_SECONDS: Final = 1.0
PUBLISHED: Final = "PUBLISHED"
# What a publisher can still publish for the first time.
_UNAPPROVED: Final = frozenset({"STAGED", "EVALUATED"})
_WAITING: Final = _UNAPPROVED | {"APPROVED"}
_NEVER_ANSWERING: Final = frozenset({"DRAFT", "FAILED", "DISCARDED"})


class VersionSummary(Body):
    """One version of a tenant's knowledge."""

    number: int
    state: str
    documents: int = 0
    passages: int = 0
    problems: int = 0
    conflicts: int = 0
    conflicts_cut: bool = False
    conflicts_partial: bool = False
    masks: int = 0
    sentences_pending: int = 0
    created_at: datetime | None = None
    published_at: datetime | None = None


class DocumentSummary(Body):
    """A document of the current version."""

    slug: str
    title: str
    label: str
    owner: str | None
    review_date: date | None
    withdrawn_at: datetime | None


class _Withdrawal(Body):
    answers: int


class RevisionSummary(Body):
    """A revision of a document."""

    revision_id: str
    label: str
    effective_from: date | None
    effective_to: date | None
    versions: tuple[int, ...]
    created_at: datetime


class TimelineEntry(Body):
    """One thing that happened to a document."""

    at: datetime
    kind: str
    actor: str | None
    version: int | None
    label: str | None
    effective_from: date | None
    effective_to: date | None


class FieldChange(Body):
    """A field of a record before and after."""

    field: str
    before: str | None
    after: str | None


class TextChange(Body):
    """One sentence in both texts, or in one of them."""

    kind: str
    before: str | None
    after: str | None
    sentences: int


class RevisionDifference(Body):
    """What changed between two revisions."""

    fields: tuple[FieldChange, ...]
    changes: tuple[TextChange, ...]


class RevisionChange(Body):
    """A revision that differs between two versions."""

    label: str
    kind: str
    fields: tuple[FieldChange, ...]
    text_changed: bool


class DocumentChange(Body):
    """A document that differs between two versions."""

    slug: str
    kind: str
    revisions: tuple[RevisionChange, ...]


class Rule(Body):
    """A rule on the agenda."""

    slug: str
    label: str
    owner: str | None
    review_date: date | None
    effective_from: date | None
    effective_to: date | None
    leaves_gap: bool


class Agenda(Body):
    """What owners have to look at."""

    overdue: tuple[Rule, ...]
    upcoming: tuple[Rule, ...]
    expiring: tuple[Rule, ...]


class _Versions(Page):
    items: tuple[VersionSummary, ...]


class _Documents(Page):
    items: tuple[DocumentSummary, ...]


class _Differences(Page):
    behind: tuple[FieldChange, ...] = ()
    items: tuple[DocumentChange, ...]


class _Document(Body):
    revisions: tuple[RevisionSummary, ...]


class _Timeline(Body):
    entries: tuple[TimelineEntry, ...]


def list_versions(client: httpx.Client) -> Iterator[VersionSummary]:
    """Give the tenant's versions, newest first, reading only as many pages as are used."""
    for page in pages(client, "/v1/staff/versions", _Versions):
        yield from page.items


def has_published_version(client: httpx.Client) -> bool:
    """Say whether the tenant has anything to answer from."""
    return any(each.state == PUBLISHED for each in list_versions(client))


def version_or_newest(client: httpx.Client, number: int | None, *, tenant: str) -> int:
    """Give the version that was named, else the newest that answers, did or may; else the newest there is.

    Errors: Trouble when there is none.
    """
    if number is not None:
        return number
    newest: int | None = None
    for each in list_versions(client):
        newest = newest or each.number
        if each.state not in _NEVER_ANSWERING:
            return each.number
    if newest is None:
        raise Trouble(f"There is no version yet; `youju import{of_tenant(tenant)}` makes one.")
    return newest


def newest_waiting(client: httpx.Client) -> int | None:
    """Give the newest version that waits to be published, or None."""
    return next((each.number for each in list_versions(client) if each.state in _WAITING), None)


def published_before(client: httpx.Client) -> int | None:
    """Give the version that was published last before the current one, or None."""
    retired = [each for each in list_versions(client) if each.state == "RETIRED" and each.published_at is not None]
    newest = max(retired, key=lambda each: (each.published_at, each.number), default=None)
    return None if newest is None else newest.number


def current_version(client: httpx.Client) -> int:
    """Give the version that answers. Errors: Trouble before the first publication."""
    for version in list_versions(client):
        if version.state == PUBLISHED:
            return version.number
    raise Trouble("No version is published yet.")


def publish_version(client: httpx.Client, version: int) -> None:
    """Make a version the current one, approving it when nobody has. Errors: Trouble when knowledge refuses."""
    place = f"/v1/staff/versions/{version}"
    if parsed(client.get(place), VersionSummary).state in _UNAPPROVED:
        approve_version(client, version)
    checked(client.post(f"{place}/publish"))


def pending_sentences(client: httpx.Client, version: int) -> int:
    """Say how many passages of a version still wait for the vectors of their sentences."""
    return parsed(client.get(f"/v1/staff/versions/{version}"), VersionSummary).sentences_pending


def wait_for_sentences(client: httpx.Client, version: int, show: Callable[[int], None]) -> None:
    """Wait until no passage of a version waits for the vectors of its sentences; `show` sees how many are left."""
    while pending := pending_sentences(client, version):
        show(pending)
        time.sleep(_POLL_SECONDS)


def approve_version(client: httpx.Client, version: int) -> None:
    """Let a version be published. Errors: Trouble when knowledge refuses."""
    checked(client.post(f"/v1/staff/versions/{version}/approve"))


def discard_version(client: httpx.Client, version: int) -> None:
    """Give up a version that waits. Errors: Trouble when knowledge refuses."""
    checked(client.post(f"/v1/staff/versions/{version}/discard"))


def attach_evaluation(client: httpx.Client, version: int, report: dict[str, object]) -> None:
    """Attach what was measured, without its single questions. Errors: Trouble when knowledge refuses."""
    summary = {name: value for name, value in report.items() if name != "questions"}
    checked(client.put(f"/v1/staff/versions/{version}/evaluation", json=summary))


def list_documents(client: httpx.Client) -> Iterator[DocumentSummary]:
    """Give the documents of the current version by slug."""
    for page in pages(client, "/v1/staff/documents", _Documents):
        yield from page.items


def read_agenda(client: httpx.Client, days: int) -> Agenda:
    """Give what is overdue, begins or ends within some days."""
    return parsed(client.get("/v1/staff/agenda", params={"days": days}), Agenda)


def list_revisions(client: httpx.Client, slug: str) -> tuple[RevisionSummary, ...]:
    """Give all revisions of a document. Errors: Trouble when there is none of that slug."""
    return parsed(client.get(f"/v1/staff/documents/{quote(slug)}"), _Document).revisions


def read_timeline(client: httpx.Client, slug: str) -> tuple[TimelineEntry, ...]:
    """Give what became of a document. Errors: Trouble when there is none of that slug."""
    return parsed(client.get(f"/v1/staff/documents/{quote(slug)}/timeline"), _Timeline).entries


def compare_revisions(client: httpx.Client, before: str, after: str) -> RevisionDifference:
    """Give what changed between two revisions. Errors: Trouble when one does not exist."""
    return parsed(client.get(f"/v1/staff/revisions/{after}/differences", params={"before": before}), RevisionDifference)


def compare_versions(client: httpx.Client, before: int, after: int) -> Iterator[FieldChange | DocumentChange]:
    """Give what differs between two versions: routing policy and calibration, then documents.

    Errors: Trouble when one does not exist.
    """
    place = f"/v1/staff/versions/{after}/differences"
    for page in pages(client, place, _Differences, before=str(before)):
        yield from page.behind
        yield from page.items


def withdraw_document(client: httpx.Client, slug: str) -> int:
    """Take a document out of every answer from the next question on; give how many answers of the past cited it.

    Errors: Trouble when there is none.
    """
    return parsed(client.post(f"/v1/staff/documents/{quote(slug)}/withdraw"), _Withdrawal).answers


def restore_document(client: httpx.Client, slug: str) -> None:
    """Undo the withdrawal of a document. Errors: Trouble when there is none."""
    checked(client.post(f"/v1/staff/documents/{quote(slug)}/restore"))
