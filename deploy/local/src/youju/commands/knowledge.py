"""Bring policies in."""

from pathlib import Path
from typing import Annotated, Final

import typer

from contracts.tenants import Tenant
from youju.home import find_home
from youju.import_progress import pending_progress, progress, show_import
from youju.importing import import_material, required_version, staff
from youju.manifest import gather_manifest, with_manifest
from youju.material import MANIFEST_ENDING, Material, combined, gather_file, gather_folder
from youju.releasing import pending_sentences, publish_version, wait_for_sentences
from youju.settings import settings_of
from youju.tenants import DEMO, add_tenant, of_tenant
from youju.terminal import TICK
from youju.trouble import Trouble

# What is staged is usable, but a script has to notice that files are missing from it.
LEFT_OUT_STATUS: Final = 3

TenantOption = Annotated[str, typer.Option("--tenant", "-t", help="Whose knowledge it is.")]
VersionArgument = Annotated[int | None, typer.Argument(help="The version's number; the newest when left out.")]


def import_(  # noqa: PLR0913 - one argument an option
    paths: Annotated[list[Path], typer.Argument(help="Folders, files, archives, or a manifest.jsonl.")],
    *,
    tenant: TenantOption = DEMO,
    only: Annotated[str | None, typer.Option(help="Manifest rows whose document id begins so.")] = None,
    add: Annotated[bool, typer.Option("--add", help="Add to what is published instead of replacing it.")] = False,
    refuse_faulty: Annotated[
        bool, typer.Option("--refuse-faulty", help="Import nothing when a file is faulty.")
    ] = False,
    publish: Annotated[
        bool, typer.Option("--publish", help="Publish the new version, unless files were left out.")
    ] = False,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait for the vectors of sentences too, which otherwise follow.")
    ] = False,
) -> None:
    """Import policies as a new version; exits with 3 when faulty files were left out of it."""
    material = combined([_gathered(path, only) for path in paths])
    _tell_left_out(material)
    settings = settings_of(find_home())
    if add_tenant(Path(settings["YOUJU_TENANTS_FILE"]), tenant, Tenant(name=tenant)):
        print(f"  {TICK} Tenant {tenant} is new.")
    with staff(settings, tenant) as client:
        state = import_material(client, material, progress(), additive=add, refuse_faulty=refuse_faulty)
        version = required_version(state)
        show_import(state, version)
        if wait:
            wait_for_sentences(client, version, pending_progress())
        elif pending := pending_sentences(client, version):
            print(f"  The sentences of {pending:,} passages get their vectors in the background.")
        if state.problems_total:
            if publish:
                # A faulty file would otherwise take its document away from customers, and nobody asked for that.
                command = f"youju publish {version}{of_tenant(tenant)}"
                print(f"  Version {version} is not published; `{command}` does it all the same.")
            raise typer.Exit(LEFT_OUT_STATUS)
        if publish:
            publish_version(client, version)
            print(f"  {TICK} Version {version} is published.")


def _gathered(path: Path, only: str | None) -> Material:
    if path.is_dir():
        return with_manifest(gather_folder(path), path)
    if not path.exists():
        raise Trouble(f"{path} does not exist.")
    if path.suffix == MANIFEST_ENDING:
        return gather_manifest(path, only=only)
    return gather_file(path)


def _tell_left_out(material: Material) -> None:
    if material.left_out:
        print(f"  {material.left_out} rows are left out: their files have no format that is imported.")
    if material.links:
        print(f"  {material.links} symbolic links are left out: they are not followed.")
