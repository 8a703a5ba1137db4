"""Bring policies in, publish a version, withdraw a document."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from contracts.tenants import Tenant
from youju.home import find_home
from youju.importing import (
    ImportState,
    import_material,
    newest_staged,
    publish_version,
    required_version,
    staff,
    withdraw_document,
)
from youju.manifest import gather_manifest
from youju.material import MANIFEST_ENDING, Material, combined, gather_file, gather_folder
from youju.settings import settings_of
from youju.tenants import DEMO, add_tenant
from youju.terminal import TICK
from youju.trouble import Trouble

TenantOption = Annotated[str, typer.Option("--tenant", "-t", help="Whose knowledge it is.")]


def import_(
    paths: Annotated[list[Path], typer.Argument(help="Folders, files, or a manifest.jsonl.")],
    *,
    tenant: TenantOption = DEMO,
    only: Annotated[str | None, typer.Option(help="Manifest rows whose document id begins so.")] = None,
    publish: Annotated[bool, typer.Option("--publish", help="Publish the new version.")] = False,
) -> None:
    """Import policies as a new version."""
    material = combined([_gathered(path, only) for path in paths])
    if material.left_out:
        print(f"  {material.left_out} rows are left out: their files have no format that is imported.")
    settings = settings_of(find_home())
    if add_tenant(Path(settings["YOUJU_TENANTS_FILE"]), tenant, Tenant(name=tenant)):
        print(f"  {TICK} Tenant {tenant} is new.")
    with staff(settings, tenant) as client:
        state = import_material(client, material, _progress())
        version = required_version(state)
        print(f"  {TICK} Version {version}: {state.files_done} files, {state.passages} passages.")
        if publish:
            publish_version(client, version)
            print(f"  {TICK} Version {version} is published.")


def publish(
    version: Annotated[int | None, typer.Argument(help="The number; the newest that waits when left out.")] = None,
    *,
    tenant: TenantOption = DEMO,
) -> None:
    """Make a version the one that answers."""
    with staff(settings_of(find_home()), tenant) as client:
        wanted = version if version is not None else newest_staged(client)
        if wanted is None:
            raise Trouble(f"Tenant {tenant} has no version that waits to be published; `youju import` makes one.")
        publish_version(client, wanted)
    print(f"  {TICK} Version {wanted} is published.")


def withdraw(slug: Annotated[str, typer.Argument(help="The document's slug.")], *, tenant: TenantOption = DEMO) -> None:
    """Take a document out of every answer, from the next question on."""
    with staff(settings_of(find_home()), tenant) as client:
        withdraw_document(client, slug)
    print(f"  {TICK} {slug} is withdrawn.")


def _gathered(path: Path, only: str | None) -> Material:
    if path.is_dir():
        return gather_folder(path)
    if not path.exists():
        raise Trouble(f"{path} does not exist.")
    if path.suffix == MANIFEST_ENDING:
        return gather_manifest(path, only=only)
    return gather_file(path)


def _progress() -> Callable[[ImportState], None]:
    """Show a counter that overwrites itself, on a terminal only."""

    def show(state: ImportState) -> None:
        if sys.stdout.isatty():
            print(f"  … {state.files_done} of {state.files_total} files", end="\r", flush=True)

    return show
