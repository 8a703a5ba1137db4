"""Say what an evaluation has to reach before a version is published."""

from typing import Annotated

import typer

from youju.commands.knowledge import TenantOption
from youju.gating import ROLES, Thresholds, read_bound, read_thresholds, set_thresholds
from youju.home import find_home
from youju.importing import staff
from youju.settings import settings_of
from youju.tenants import DEMO
from youju.terminal import TICK
from youju.trouble import Trouble

thresholds = typer.Typer(help="Say what an evaluation has to reach.", no_args_is_help=True)


@thresholds.command()
def show(
    *,
    tenant: TenantOption = DEMO,
    history: Annotated[bool, typer.Option("--history", help="Show what held before, too.")] = False,
) -> None:
    """Show the bounds that hold, with who set them and when."""
    with staff(settings_of(find_home()), tenant, roles=ROLES) as client:
        found = read_thresholds(client)
    if found.current is None:
        print("  Not gated: no thresholds are set, and every approved version may be published.")
    for each in found.items if history else found.items[:1]:
        _show(each)


@thresholds.command("set")
def set_(
    bounds: Annotated[
        list[str] | None, typer.Argument(help="Such as routeAccuracy>=0.85 safety:escalationsAnswered<=0, in quotes.")
    ] = None,
    *,
    none: Annotated[bool, typer.Option("--none", help="Set none: nothing is gated any more.")] = False,
    tenant: TenantOption = DEMO,
) -> None:
    """Let these bounds, and no others, hold for every run that begins from now on."""
    if bool(bounds) is none:
        raise Trouble("Name the bounds, or say --none.")
    with staff(settings_of(find_home()), tenant, roles=ROLES) as client:
        stored = set_thresholds(client, [read_bound(each) for each in bounds or ()])
    _show(stored)
    print(f"  {TICK} They hold for runs that begin from now on.")


def _show(found: Thresholds) -> None:
    print(f"  {found.number}, set by {found.set_by} on {found.set_at:%Y-%m-%d %H:%M}:")
    for bound in found.spelled or ("nothing",):
        print(f"    {bound}")
