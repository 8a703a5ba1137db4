"""Give customers what is held about them, forget them, and read what they think of answers."""

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from youju.commands.knowledge import TenantOption
from youju.customers import customer_staff, erase, export, export_judgements, list_judgements
from youju.home import find_home
from youju.settings import settings_of
from youju.tenants import DEMO
from youju.terminal import TICK, or_say
from youju.trouble import Trouble

customers = typer.Typer(help="Give a customer what is held about them, or forget them.", no_args_is_help=True)
feedback = typer.Typer(help="Read what customers think of answers.", no_args_is_help=True)

CustomerArgument = Annotated[
    str, typer.Argument(metavar="CUSTOMER", help="The guest's cus_… or the `sub` of the customer's token.")
]
ToOption = Annotated[Path, typer.Option("--to", help="The file to write; it must not exist yet.")]
RatingOption = Annotated[str | None, typer.Option(help="HELPFUL or NOT_HELPFUL.")]
ReasonOption = Annotated[str | None, typer.Option(help="Such as OUTDATED.")]
VersionOption = Annotated[int | None, typer.Option(min=1, help="Answers of this version.")]
DocumentOption = Annotated[str | None, typer.Option(help="Answers that cite this document, by its slug.")]
AreaOption = Annotated[str | None, typer.Option(help="Answers that cite a document of this area.")]


@customers.command("erase")
def erase_(
    customer: CustomerArgument,
    *,
    tenant: TenantOption = DEMO,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Erase everything a customer said, here and wherever it was told; nothing brings it back."""
    if not yes:
        typer.confirm(f"  Erase everything {customer} said?", abort=True)
    with customer_staff(settings_of(find_home()), tenant) as client:
        erased = erase(client, customer)
    print(f"  {TICK} {erased.conversations} conversations with {erased.attempts} attempts are erased.")


@customers.command("export")
def export_(customer: CustomerArgument, *, to: ToOption, tenant: TenantOption = DEMO) -> None:
    """Write everything that is held about a customer to a JSON file."""
    with customer_staff(settings_of(find_home()), tenant) as client:
        conversations = list(export(client, customer))
    body = {"tenant": tenant, "customer": customer, "conversations": conversations}
    _write(to, json.dumps(body, ensure_ascii=False, indent=2).encode())
    print(f"  {TICK} {to} holds {len(conversations)} conversations.")


@feedback.command("list")
def list_(  # noqa: PLR0913 - the filters of a list
    *,
    rating: RatingOption = None,
    reason: ReasonOption = None,
    version: VersionOption = None,
    document: DocumentOption = None,
    area: AreaOption = None,
    tenant: TenantOption = DEMO,
) -> None:
    """List judgements, the newest first."""
    wanted = _wanted(rating=rating, reason=reason, version=version, document=document, area=area)
    with customer_staff(settings_of(find_home()), tenant) as client:
        for each in or_say("Nobody judged like that.", list_judgements(client, wanted)):
            print(f"  {each.attempt_id}  {each.judged_at:%Y-%m-%d %H:%M}  {each.reason_code or each.rating}")
            print(f"    {' '.join(each.question.split())}")
            if each.comment:
                print(f"    “{' '.join(each.comment.split())}”")


@feedback.command("export")
def export_feedback(  # noqa: PLR0913 - as above
    *,
    to: ToOption,
    rating: RatingOption = None,
    reason: ReasonOption = None,
    version: VersionOption = None,
    document: DocumentOption = None,
    area: AreaOption = None,
    tenant: TenantOption = DEMO,
) -> None:
    """Write judgements to a file: .csv for spreadsheets, in which no comment becomes a formula, or .jsonl."""
    wanted = _wanted(rating=rating, reason=reason, version=version, document=document, area=area)
    with customer_staff(settings_of(find_home()), tenant) as client:
        content = b"".join(export_judgements(client, wanted, _form_of(to)))
    _write(to, content)
    print(f"  {TICK} {to} is written.")


def _wanted(**filters: str | int | None) -> dict[str, str]:
    return {name: str(value) for name, value in filters.items() if value is not None}


def _form_of(file: Path) -> Literal["csv", "jsonl"]:
    match file.suffix:
        case ".csv":
            return "csv"
        case ".jsonl":
            return "jsonl"
        case _:
            raise Trouble(f"{file} must end with .csv or .jsonl.")


def _write(file: Path, content: bytes) -> None:
    try:
        file.touch(mode=0o600, exist_ok=False)
        file.write_bytes(content)
    except OSError as refused:
        raise Trouble(f"{file} cannot be written: {refused.strerror}.") from refused
