"""Release versions and look at what changed: approve, publish, roll back, withdraw, compare."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Annotated, Final

import typer

from youju.commands.knowledge import TenantOption
from youju.gating import unproven
from youju.home import find_home
from youju.importing import staff
from youju.releasing import (
    DocumentChange,
    FieldChange,
    Rule,
    TextChange,
    VersionSummary,
    approve_version,
    compare_revisions,
    compare_versions,
    discard_version,
    list_documents,
    list_revisions,
    list_versions,
    newest_waiting,
    publish_version,
    published_before,
    read_agenda,
    read_timeline,
    restore_document,
    withdraw_document,
)
from youju.settings import settings_of
from youju.tenants import DEMO, of_tenant
from youju.terminal import CROSS, TICK, or_say, show_table
from youju.trouble import Trouble

_SIDES: Final = 2

VersionArgument = Annotated[
    int | None, typer.Argument(help="The number; the newest that waits when left out.", show_default=False)
]
SlugArgument = Annotated[str, typer.Argument(help="The document's slug.")]


def versions(*, tenant: TenantOption = DEMO) -> None:
    """List the versions, and what a publisher has to look at."""
    head = ("version", "state", "documents", "passages", "pending", "left out", "conflicts", "masks", "published")
    with staff(settings_of(find_home()), tenant) as client:
        rows = [
            (
                str(each.number),
                each.state,
                *_counts(each),
                "" if each.published_at is None else f"{each.published_at:%Y-%m-%d %H:%M}",
            )
            for each in list_versions(client)
        ]
    show_table([head, *rows])


def _counts(version: VersionSummary) -> tuple[str, ...]:
    """Print what a version holds; a plus says that there may be more conflicts than were found or listed."""
    more = "+" if version.conflicts_cut or version.conflicts_partial else ""
    held = (version.documents, version.passages, version.sentences_pending, version.problems)
    return (*map(str, held), f"{version.conflicts}{more}", str(version.masks))


def approve(version: VersionArgument = None, *, tenant: TenantOption = DEMO) -> None:
    """Let a version be published."""
    with staff(settings_of(find_home()), tenant) as client:
        wanted = _wanted(version, newest_waiting(client), tenant)
        approve_version(client, wanted)
    print(f"  {TICK} Version {wanted} is approved.")


def publish(version: VersionArgument = None, *, tenant: TenantOption = DEMO) -> None:
    """Approve a version and make it the one that answers."""
    with staff(settings_of(find_home()), tenant) as client:
        wanted = _wanted(version, newest_waiting(client), tenant)
        publish_version(client, wanted)
    print(f"  {TICK} Version {wanted} is published.")


def rollback(
    version: Annotated[
        int | None, typer.Argument(help="The number; the one before when left out.", show_default=False)
    ] = None,
    *,
    tenant: TenantOption = DEMO,
) -> None:
    """Let a version answer again that answered before."""
    with staff(settings_of(find_home()), tenant) as client:
        wanted = version if version is not None else published_before(client)
        if wanted is None:
            raise Trouble(f"Tenant {tenant} has no version that was published before.")
        publish_version(client, wanted)
        outdated = unproven(client)
    print(f"  {TICK} Version {wanted} answers again.")
    if outdated:
        _say_how_to_prove(wanted, tenant, outdated)


def _say_how_to_prove(version: int, tenant: str, outdated: Sequence[str]) -> None:
    """Say what a version that is back lacks: going back is never gated, and starting in production is."""
    print(*(f"  {CROSS} {sentence}" for sentence in outdated), sep="\n")
    print(
        "    Before that, knowledge does not start again in production:"
        f" `youju eval --gate --tenant {tenant} --version {version}`"
    )


def discard(version: Annotated[int, typer.Argument(help="The number.")], *, tenant: TenantOption = DEMO) -> None:
    """Give up a version that waits to be published."""
    with staff(settings_of(find_home()), tenant) as client:
        discard_version(client, version)
    print(f"  {TICK} Version {version} is discarded.")


def withdraw(slug: SlugArgument, *, tenant: TenantOption = DEMO) -> None:
    """Take a document out of every answer, from the next question on."""
    with staff(settings_of(find_home()), tenant) as client:
        answers = withdraw_document(client, slug)
    print(f"  {TICK} {slug} is withdrawn. It was cited in {answers} answers.")


def restore(slug: SlugArgument, *, tenant: TenantOption = DEMO) -> None:
    """Undo the withdrawal of a document."""
    with staff(settings_of(find_home()), tenant) as client:
        restore_document(client, slug)
    print(f"  {TICK} {slug} may answer again.")


def documents(
    *,
    tenant: TenantOption = DEMO,
    due: Annotated[
        int | None,
        typer.Option(min=0, max=366, help="Only what is overdue, or begins or ends within so many days."),
    ] = None,
) -> None:
    """List the documents of the current version, or what their owners have to look at."""
    with staff(settings_of(find_home()), tenant) as client:
        if due is not None:
            agenda = read_agenda(client, due)
            due_rows = (
                *_due("overdue", agenda.overdue),
                *_due("begins", agenda.upcoming),
                *_due("ends", agenda.expiring),
            )
            show_table(list(or_say("Nothing is due.", due_rows)))
            return
        rows = [
            (
                each.slug,
                each.label,
                each.owner or "",
                _day(each.review_date),
                "withdrawn" if each.withdrawn_at is not None else "",
            )
            for each in list_documents(client)
        ]
    show_table([("document", "revision", "owner", "review", ""), *rows])


def timeline(slug: SlugArgument, *, tenant: TenantOption = DEMO) -> None:
    """Show what became of a document: its texts, the versions that brought them, its withdrawals."""
    with staff(settings_of(find_home()), tenant) as client:
        entries = read_timeline(client, slug)
    rows = [
        (
            f"{each.at:%Y-%m-%d %H:%M}",
            each.kind.lower(),
            each.label or "",
            "" if each.version is None else f"version {each.version}",
            _days(each.effective_from, each.effective_to) if each.label else "",
            each.actor or "",
        )
        for each in entries
    ]
    show_table(rows)


def diff(
    what: Annotated[list[str], typer.Argument(metavar="SLUG | OLD NEW", help="A document, or two versions.")],
    *,
    tenant: TenantOption = DEMO,
) -> None:
    """Show what changed between the last two texts of a document, or between two versions."""
    numbers = [each for each in what if each.isdecimal()]
    if len(what) == len(numbers) == _SIDES:
        _diff_versions(tenant, int(what[0]), int(what[1]))
    elif len(what) == 1:
        _diff_texts(tenant, what[0])
    else:
        raise Trouble("Name one document, or the numbers of two versions.")


def _diff_versions(tenant: str, before: int, after: int) -> None:
    with staff(settings_of(find_home()), tenant) as client:
        for change in or_say("Nothing changed.", compare_versions(client, before, after)):
            if isinstance(change, FieldChange):
                print(f"  {_fields([change])}")
            else:
                _show_document(change)


def _show_document(document: DocumentChange) -> None:
    print(f"  {document.kind:<8} {document.slug}")
    for revision in document.revisions:
        text = "text, " if revision.text_changed and revision.kind == "changed" else ""
        print(f"           {revision.label}: {revision.kind} {text}{_fields(revision.fields)}".rstrip(" ,"))


def _diff_texts(tenant: str, slug: str) -> None:
    with staff(settings_of(find_home()), tenant) as client:
        revisions = sorted(list_revisions(client, slug), key=lambda each: each.created_at)
        if len(revisions) < _SIDES:
            raise Trouble(f"{slug} has one text only.")
        before, after = revisions[-2:]
        found = compare_revisions(client, before.revision_id, after.revision_id)
    print(f"  {before.label} {_days(before.effective_from, before.effective_to)}")
    print(f"  {after.label} {_days(after.effective_from, after.effective_to)}")
    if found.fields:
        print(f"  {_fields(found.fields)}")
    for line in _lines(found.changes):
        print(line)


def _lines(changes: Iterable[TextChange]) -> Iterable[str]:
    for change in changes:
        if change.kind == "skipped":
            yield f"    … {change.sentences} sentences"
        elif change.kind == "same":
            yield f"    {change.before}"
        else:
            yield from (f"  {mark} {text}" for mark, text in (("-", change.before), ("+", change.after)) if text)


def _wanted(version: int | None, newest: int | None, tenant: str) -> int:
    wanted = version if version is not None else newest
    if wanted is None:
        command = f"youju import{of_tenant(tenant)}"
        raise Trouble(f"Tenant {tenant} has no version that waits to be published; `{command}` makes one.")
    return wanted


def _due(kind: str, rules: Sequence[Rule]) -> list[tuple[str, ...]]:
    days = {"overdue": "review_date", "begins": "effective_from", "ends": "effective_to"}
    return [
        (
            kind,
            _day(getattr(each, days[kind])),
            each.slug,
            each.label,
            each.owner or "",
            "nothing follows" * each.leaves_gap,
        )
        for each in rules
    ]


def _fields(fields: Sequence[FieldChange]) -> str:
    return ", ".join(f"{each.field}: {each.before or '-'} → {each.after or '-'}" for each in fields)


def _days(first: date | None, last: date | None) -> str:
    return f"{_day(first)} to {_day(last)}".strip() if first or last else "always"


def _day(day: date | None) -> str:
    return "" if day is None else day.isoformat()
