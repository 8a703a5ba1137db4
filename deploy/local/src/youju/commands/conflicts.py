"""List sentences that seem to disagree, and let single pairs stand."""

from typing import Annotated

import typer

from youju.commands.knowledge import TenantOption, VersionArgument
from youju.conflicts import Conflict, dismiss_conflict, list_conflicts, restore_conflict
from youju.home import find_home
from youju.importing import staff
from youju.releasing import version_or_newest
from youju.settings import settings_of
from youju.tenants import DEMO
from youju.terminal import TICK

conflicts = typer.Typer(help="See which sentences seem to disagree, and let pairs stand.", no_args_is_help=True)

KeyArgument = Annotated[str, typer.Argument(metavar="KEY", help="The key that `youju conflicts list` shows.")]


@conflicts.command("list")
def list_(
    version: VersionArgument = None,
    *,
    tenant: TenantOption = DEMO,
) -> None:
    """List pairs of sentences that seem to disagree; what cites one of an open pair is refused."""
    with staff(settings_of(find_home()), tenant) as client:
        wanted = version_or_newest(client, version, tenant=tenant)
        shown: list[bool] = []
        is_cut = is_partial = False
        for page in list_conflicts(client, wanted):
            shown += [_show(each) for each in page.items]
            is_cut, is_partial = page.is_cut, page.is_partial
    print(f"  {TICK} Version {wanted} has {'at least ' * is_cut}{len(shown)} conflicts, {sum(shown)} of them open.")
    if is_cut:
        print("    Its list is full. Dismiss pairs and import again: the next ones come up then.")
    if is_partial:
        print("    It is too large to be compared as a whole: only passages under headings of the same words were.")


@conflicts.command()
def dismiss(
    key: KeyArgument,
    *,
    reason: Annotated[str, typer.Option(help="Why both sentences may stand.")],
    tenant: TenantOption = DEMO,
) -> None:
    """Let both sentences stand, from the next question on and while neither changes."""
    with staff(settings_of(find_home()), tenant) as client:
        dismiss_conflict(client, key, reason)
    print(f"  {TICK} Both sentences may stand.")


@conflicts.command()
def restore(key: KeyArgument, *, tenant: TenantOption = DEMO) -> None:
    """Open a conflict again."""
    with staff(settings_of(find_home()), tenant) as client:
        restore_conflict(client, key)
    print(f"  {TICK} The conflict is open again.")


def _show(conflict: Conflict) -> bool:
    """Print a conflict, and tell whether it is open."""
    for side in (conflict.one, conflict.other):
        print(f"  {side.slug} ({side.label}): {' '.join(side.sentence.split())}")
    if conflict.dismissal is not None:
        print(f"    may stand: {conflict.dismissal.reason} ({conflict.dismissal.dismissed_by})")
    print(f"    {conflict.key}")
    return conflict.dismissal is None
