"""Look at the files that were imported, fetch one, delete one."""

from pathlib import Path
from typing import Annotated

import typer

from youju.commands.knowledge import TenantOption
from youju.home import find_home
from youju.importing import staff
from youju.originals import delete_original, fetch_original, find_original, list_originals
from youju.settings import settings_of
from youju.tenants import DEMO
from youju.terminal import TICK, show_table

originals = typer.Typer(
    help="See the files that revisions were read from; fetch and delete them.", no_args_is_help=True
)

SlugArgument = Annotated[str, typer.Argument(help="The document's slug.")]
LabelArgument = Annotated[
    str | None, typer.Argument(help="The revision's label; the newest when left out.", show_default=False)
]


@originals.command("list")
def list_(
    slug: Annotated[str | None, typer.Argument(help="Only those of this document.", show_default=False)] = None,
    *,
    tenant: TenantOption = DEMO,
) -> None:
    """List which originals are kept, and which were deleted."""
    with staff(settings_of(find_home()), tenant) as client:
        rows = [
            (
                each.slug,
                each.label,
                f"{each.size_bytes / 1_000:,.1f} kB",
                f"{each.kept_at:%Y-%m-%d %H:%M}",
                "" if each.deleted_at is None else f"deleted {each.deleted_at:%Y-%m-%d %H:%M} by {each.deleted_by}",
                each.path,
            )
            for each in list_originals(client, slug)
        ]
    show_table([("document", "revision", "size", "kept since", "", "file"), *rows])


@originals.command()
def fetch(
    slug: SlugArgument,
    label: LabelArgument = None,
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A new file; its own name here when left out.")
    ] = None,
    tenant: TenantOption = DEMO,
) -> None:
    """Write the file a revision was read from, personal data and all; the audit trail says so."""
    with staff(settings_of(find_home()), tenant) as client:
        found = find_original(client, slug, label)
        target = output or Path(found.file_name)
        fetch_original(client, found, target)
    print(f"  {TICK} {target} has {found.size_bytes:,} bytes. It holds what was masked: keep it to yourself.")


@originals.command()
def delete(
    slug: SlugArgument,
    label: LabelArgument = None,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    tenant: TenantOption = DEMO,
) -> None:
    """Delete the file a revision was read from, for good; its masked text goes on answering."""
    with staff(settings_of(find_home()), tenant) as client:
        found = find_original(client, slug, label)
        if not yes:
            typer.confirm(f"  Delete the original of {found.slug} ({found.label}), {found.path}?", abort=True)
        delete_original(client, found)
    print(f"  {TICK} The original of {found.slug} ({found.label}) is deleted.")
