"""List what was masked in a version, and let single values stay."""

from typing import Annotated

import typer

from youju.commands.knowledge import TenantOption, VersionArgument
from youju.home import find_home
from youju.importing import staff
from youju.masks import MaskSummary, allow_value, end_allowance, list_masks
from youju.releasing import version_or_newest
from youju.settings import settings_of
from youju.tenants import DEMO
from youju.terminal import TICK

masks = typer.Typer(help="See what was masked, and let single values stay.", no_args_is_help=True)

HashArgument = Annotated[str, typer.Argument(metavar="HASH", help="The hash that `youju masks list` shows.")]


@masks.command("list")
def list_(
    version: VersionArgument = None,
    *,
    tenant: TenantOption = DEMO,
) -> None:
    """List what was masked in a version: kind, place, what stands around it, and the hash of the value."""
    with staff(settings_of(find_home()), tenant) as client:
        wanted = version_or_newest(client, version, tenant=tenant)
        count = sum(_show(each) for each in list_masks(client, wanted))
    print(f"  {TICK} Version {wanted} has {count} masks.")


@masks.command()
def allow(value_hash: HashArgument, *, tenant: TenantOption = DEMO) -> None:
    """Let a value stay, from the next import on."""
    with staff(settings_of(find_home()), tenant) as client:
        allow_value(client, value_hash)
    print(f"  {TICK} The value stays from the next import on.")


@masks.command()
def forbid(value_hash: HashArgument, *, tenant: TenantOption = DEMO) -> None:
    """Mask a value again, from the next import on."""
    with staff(settings_of(find_home()), tenant) as client:
        end_allowance(client, value_hash)
    print(f"  {TICK} The value is masked from the next import on.")


def _show(mask: MaskSummary) -> int:
    """Print a mask as it comes, and count it."""
    note = ", allowed from the next import on" if mask.allowed else ""
    place = "" if mask.field == "text" else f" of its {mask.field}"
    print(f"  {mask.slug} ({mask.label}) at {mask.start}{place}: {mask.kind}{note}")
    print(f"    … {' '.join(mask.context.split())} …")
    print(f"    {mask.hash}")
    return 1
