"""Show what owners were told and whether it arrived."""

from itertools import islice
from typing import Annotated, Final

import typer

from youju.commands.knowledge import TenantOption
from youju.home import find_home
from youju.importing import staff
from youju.notices import Delivery, Notice, list_notices, resend_notice
from youju.settings import settings_of
from youju.tenants import DEMO
from youju.terminal import CROSS, TICK, or_say

notices = typer.Typer(help="See what owners were told, and send it again.")

_WAITING: Final = "…"
_MARKS: Final = {"DELIVERED": TICK, "GIVEN_UP": CROSS}
# More of them nobody reads in a terminal.
_SHOWN_ITEMS: Final = 5


@notices.callback(invoke_without_command=True)
def list_told(
    context: typer.Context,
    *,
    kind: Annotated[str | None, typer.Option(help="Only this kind: overdue, expiring or conflict.")] = None,
    last: Annotated[int, typer.Option("--last", "-n", min=1, help="So many at most.")] = 20,
    tenant: TenantOption = DEMO,
) -> None:
    """List notices, the newest first, and what became of their deliveries."""
    if context.invoked_subcommand is not None:
        return
    with staff(settings_of(find_home()), tenant) as client:
        listed = list_notices(client, None if kind is None else kind.upper())
        for each in or_say("There is no notice.", islice(listed, last)):
            _show(each)


@notices.command()
def resend(
    notice_id: Annotated[str, typer.Argument(metavar="NOTICE", help="The ntc_… that `youju notices` shows.")],
    *,
    tenant: TenantOption = DEMO,
) -> None:
    """Deliver a notice again, where it arrived or was given up."""
    with staff(settings_of(find_home()), tenant) as client:
        notice = resend_notice(client, notice_id)
    _show(notice)
    if not notice.deliveries:
        print("  It goes nowhere: the tenant had no webhook and no address when it was made.")


def _show(notice: Notice) -> None:
    period = f" {notice.period}" if notice.period else ""
    print(f"  {notice.created_at:%Y-%m-%d %H:%M}  {notice.kind.lower()}  {notice.subject}{period}  {notice.notice_id}")
    for item in notice.items[:_SHOWN_ITEMS]:
        print(f"    {', '.join(f'{name}: {value}' for name, value in item.items() if value is not None)}")
    if (more := len(notice.items) - _SHOWN_ITEMS) > 0:
        print(f"    … and {more} more")
    for delivery in notice.deliveries:
        print(f"    {_MARKS.get(delivery.state, _WAITING)} {_told(delivery)}")


def _told(delivery: Delivery) -> str:
    if delivery.delivered_at is not None:
        return f"{delivery.channel}, {delivery.delivered_at:%Y-%m-%d %H:%M}"
    tries = f", {delivery.tries} tries" if delivery.tries else ""
    return f"{delivery.channel}{tries}{f': {delivery.reason}' if delivery.reason else ''}"
