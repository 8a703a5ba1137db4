"""Keep golden cases: what every later evaluation asks."""

from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from youju.commands.knowledge import TenantOption
from youju.gating import ROLES, CaseSummary, keep_cases, list_cases, retire_case
from youju.golden_files import of_tenant, read_questions, write_questions
from youju.home import find_home
from youju.importing import staff
from youju.settings import settings_of
from youju.tenants import DEMO
from youju.terminal import TICK, show_table

golden = typer.Typer(help="Keep golden cases: what every later evaluation asks.", no_args_is_help=True)

SetName = Literal["golden", "safety"]
FileArgument = Annotated[Path, typer.Argument(help="A file of golden cases, one JSON object a line.")]
SetOption = Annotated[SetName | None, typer.Option("--set", help="One set only.")]
_SHOWN: Final = 60


@golden.command("import")
def import_(
    file: FileArgument,
    *,
    tenant: TenantOption = DEMO,
    case_set: Annotated[SetName | None, typer.Option("--set", help="Put all of them into this set.")] = None,
) -> None:
    """Keep the cases of a file: those of the tenant's scope and of none, or all where no scope is the tenant."""
    cases = of_tenant(read_questions(file), tenant)
    if case_set is not None:
        cases = tuple(each.model_copy(update={"set": case_set}) for each in cases)
    with staff(settings_of(find_home()), tenant, roles=ROLES) as client:
        kept = keep_cases(client, cases)
    print(f"  {TICK} {kept.added} cases are new, {kept.known} were there already.")


@golden.command()
def export(
    file: FileArgument,
    *,
    tenant: TenantOption = DEMO,
    case_set: SetOption = None,
    retired: Annotated[bool, typer.Option("--retired", help="Write retired ones too.")] = False,
) -> None:
    """Write the cases into a file that can be imported elsewhere."""
    with staff(settings_of(find_home()), tenant, roles=ROLES) as client:
        count = write_questions(file, (each.golden for each in list_cases(client, case_set=case_set, retired=retired)))
    print(f"  {TICK} {count} cases are in {file}.")


@golden.command("list")
def list_(
    *,
    tenant: TenantOption = DEMO,
    case_set: SetOption = None,
    retired: Annotated[bool, typer.Option("--retired", help="List retired ones too.")] = False,
) -> None:
    """List the cases."""
    with staff(settings_of(find_home()), tenant, roles=ROLES) as client:
        rows = [_row(each) for each in list_cases(client, case_set=case_set, retired=retired)]
    show_table([("id", "set", "category", "lang", "routes", "question", "retired because"), *rows])


@golden.command()
def retire(
    case_id: Annotated[str, typer.Argument(metavar="ID", help="The case's id.")],
    *,
    reason: Annotated[str, typer.Option(help="Why nobody should ask it any more.")],
    tenant: TenantOption = DEMO,
) -> None:
    """Take a case out of every later run; it stays readable."""
    with staff(settings_of(find_home()), tenant, roles=ROLES) as client:
        retire_case(client, case_id, reason=reason)
    print(f"  {TICK} {case_id} is retired.")


def _row(case: CaseSummary) -> tuple[str, ...]:
    shown = case.golden
    question = " ".join(shown.question.split())
    short = question if len(question) <= _SHOWN else f"{question[:_SHOWN]}…"
    routes = " ".join(shown.acceptable_routes)
    return (shown.id, shown.set, shown.category, shown.lang, routes, short, case.retired_reason or "")
