"""Open a search up in the terminal."""

from datetime import datetime
from typing import Annotated

import typer

from youju.commands.knowledge import TenantOption
from youju.home import find_home
from youju.importing import staff
from youju.searching import arm_lines, open_search, search_table
from youju.settings import settings_of
from youju.tenants import DEMO
from youju.terminal import show_table


def search(  # noqa: PLR0913 - one parameter an option
    question: Annotated[str, typer.Argument(help="What a customer would type.")],
    *,
    tenant: TenantOption = DEMO,
    version: Annotated[int | None, typer.Option(help="A version's number; the current one when left out.")] = None,
    as_of: Annotated[datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The day asked about.")] = None,
    segment: Annotated[list[str] | None, typer.Option(help="What the customer belongs to; may be repeated.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many passages to show.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Show what each arm of a search brings, in which order, and why a passage did not come; nothing is logged."""
    with staff(settings_of(find_home()), tenant) as client:
        opened = open_search(
            client,
            question,
            version=version,
            as_of=as_of.date() if as_of is not None else None,
            segments=segment or [],
        )
    if as_json:
        print(opened.model_dump_json(indent=2))
        return
    print(f"  Version {opened.version} on {opened.as_of}; terms: {' '.join(opened.terms)}")
    for line in arm_lines(opened):
        print(f"  {line}")
    show_table(search_table(opened, limit=limit))
