"""Show who did what."""

from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Annotated

import typer

from youju.commands.knowledge import TenantOption
from youju.home import find_home
from youju.importing import staff
from youju.settings import settings_of
from youju.tenants import DEMO
from youju.terminal import show_table
from youju.trail import Act, list_acts

audit = typer.Typer(help="See who did what.")

_DAY = "%Y-%m-%d"
SinceOption = Annotated[
    datetime | None, typer.Option(formats=[_DAY], show_default=False, help="From this day on, in UTC.")
]
UntilOption = Annotated[
    datetime | None, typer.Option(formats=[_DAY], show_default=False, help="Up to this day, it included, in UTC.")
]


@audit.callback(invoke_without_command=True)
def list_trail(  # noqa: PLR0913 - one argument an option
    context: typer.Context,
    *,
    subject: Annotated[
        str | None, typer.Option(help="Only acts on this, such as version:3 or document:policies/returns.")
    ] = None,
    act: Annotated[str | None, typer.Option(help="Only this act, such as VERSION_PUBLISHED.")] = None,
    actor: Annotated[str | None, typer.Option(help="Only what this member of staff did.")] = None,
    since: SinceOption = None,
    until: UntilOption = None,
    last: Annotated[int, typer.Option("--last", "-n", min=1, help="So many at most.")] = 30,
    tenant: TenantOption = DEMO,
) -> None:
    """List acts, the newest first."""
    if context.invoked_subcommand is not None:
        return
    moments = {"since": since, "until": None if until is None else until + timedelta(days=1)}
    named = {"subject": subject, "act": None if act is None else act.upper(), "actor": actor}
    wanted = {name: value for name, value in named.items() if value is not None}
    wanted |= {name: day.replace(tzinfo=UTC).isoformat() for name, day in moments.items() if day is not None}
    with staff(settings_of(find_home()), tenant) as client:
        rows = [_row(each) for each in islice(list_acts(client, wanted), last)]
    if rows:
        show_table([("when", "who", "act", "what", ""), *rows])
    else:
        print("  Nobody did anything of the kind.")


def _row(act: Act) -> tuple[str, ...]:
    told = ", ".join(f"{name}: {_shown(value)}" for name, value in act.detail.items() if value is not None)
    return f"{act.at:%Y-%m-%d %H:%M:%S}", act.actor, act.act.lower().replace("_", " "), act.subject, told


def _shown(value: str | int | list[str]) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)
