"""Work through doubtful answers: list, show, take, release, judge, keep as a golden case, propose."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import httpx
import typer

from youju.commands.knowledge import TenantOption
from youju.home import find_home
from youju.importing import staff
from youju.review_report import show_detail, show_item
from youju.reviewing import (
    decide_proposal,
    export_proposal,
    judge_item,
    list_items,
    list_proposals,
    make_case,
    propose,
    read_item,
    release_item,
    take_item,
    take_next,
)
from youju.settings import settings_of
from youju.tenants import DEMO
from youju.terminal import TICK, or_say
from youju.trouble import Trouble

review = typer.Typer(help="Work through doubtful answers.", no_args_is_help=True)
proposals = typer.Typer(help="See which texts reviewers propose, and fetch them as files.", no_args_is_help=True)

AttemptArgument = Annotated[str, typer.Argument(metavar="ATTEMPT", help="The att_… that `youju review list` shows.")]
ProposalArgument = Annotated[str, typer.Argument(metavar="PROPOSAL", help="The prp_… that `proposals list` shows.")]
_NOBODY: Final = "Nothing waits for a reviewer."


@contextmanager
def _staff(tenant: str) -> Generator[httpx.Client]:
    with staff(settings_of(find_home()), tenant, roles=("reviewer", "owner")) as client:
        yield client


@review.command("list")
def list_(
    *,
    reason: Annotated[str | None, typer.Option(help="Only items with this reason, such as NOT_HELPFUL.")] = None,
    tenant: TenantOption = DEMO,
) -> None:
    """List what waits, the most pressing first."""
    with _staff(tenant) as client:
        count = sum(show_item(each) for each in list_items(client, reason))
    print(f"  {TICK} {count} wait." if count else f"  {_NOBODY}")


@review.command()
def show(attempt: AttemptArgument, *, tenant: TenantOption = DEMO) -> None:
    """Show how a question was read, routed, searched, answered and judged."""
    with _staff(tenant) as client:
        show_detail(read_item(client, attempt))


@review.command()
def take(
    attempt: Annotated[str | None, typer.Argument(metavar="ATTEMPT", help="The most pressing when left out.")] = None,
    *,
    tenant: TenantOption = DEMO,
) -> None:
    """Take an item for half an hour, so that nobody else looks at it."""
    with _staff(tenant) as client:
        taken = take_next(client) if attempt is None else take_item(client, attempt)
    if taken is None:
        print(f"  {_NOBODY}")
        return
    show_item(taken)
    print(f"  {TICK} It is yours until {taken.held_until:%H:%M} UTC.")


@review.command()
def release(attempt: AttemptArgument, *, tenant: TenantOption = DEMO) -> None:
    """Give an item back."""
    with _staff(tenant) as client:
        release_item(client, attempt)
    print(f"  {TICK} Others may take it.")


@review.command()
def verdict(
    attempt: AttemptArgument,
    layer: Annotated[str, typer.Argument(help="Such as RETRIEVAL_MISS; CORRECT when nothing was wrong.")],
    *,
    note: Annotated[str | None, typer.Option(help="What others should know.")] = None,
    seen: Annotated[int, typer.Option(help="The number of the last verdict that `show` told; 0 for none.")] = 0,
    tenant: TenantOption = DEMO,
) -> None:
    """Say what was wrong and close the item."""
    with _staff(tenant) as client:
        given = judge_item(client, attempt, layer=layer, note=note, seen=seen)
    print(f"  {TICK} Verdict {given.number}: {given.layer}.")


@review.command()
def golden(  # noqa: PLR0913 - each option is one field of the case
    attempt: AttemptArgument,
    *,
    route: Annotated[list[str], typer.Option(help="answer, escalate or refuse:REASON; may be repeated.")],
    category: Annotated[str, typer.Option(help="Under which name it is counted.")] = "review",
    document: Annotated[str | None, typer.Option(help="The slug of the document a good answer cites.")] = None,
    quote: Annotated[str | None, typer.Option(help="Words of that document.")] = None,
    heading: Annotated[str | None, typer.Option(help="Instead of a quote: the heading of the passage.")] = None,
    safety: Annotated[bool, typer.Option("--safety", help="Put it into the safety set.")] = False,
    case_id: Annotated[str | None, typer.Option("--id", help="Where the attempt's own id is taken.")] = None,
    tenant: TenantOption = DEMO,
) -> None:
    """Keep the question as a golden case for the evaluation."""
    evidence = [] if document is None else [{"document": document, "quote": quote, "heading": heading}]
    wanted = {
        "caseId": case_id,
        "set": "safety" if safety else "golden",
        "category": category,
        "routes": route,
        "evidence": evidence,
    }
    with _staff(tenant) as client:
        case = make_case(client, attempt, wanted)
    print(f"  {TICK} {case.case_id} is {'kept' if case.is_new else 'there already'}.")


@review.command("propose")
def propose_text(
    attempt: AttemptArgument,
    text: Annotated[Path, typer.Argument(help="A Markdown file with the text.", exists=True, dir_okay=False)],
    *,
    slug: Annotated[str, typer.Option(help="The slug of the document it would be.")],
    title: Annotated[str, typer.Option(help="Its title.")],
    tenant: TenantOption = DEMO,
) -> None:
    """Propose a text to the owners of the knowledge."""
    with _staff(tenant) as client:
        made = propose(client, attempt, slug=slug, title=title, text=text.read_text(encoding="utf-8"))
    print(f"  {TICK} {made.proposal_id} waits for an owner.")


@proposals.command("list")
def list_texts(*, tenant: TenantOption = DEMO) -> None:
    """List proposals, the newest first."""
    with _staff(tenant) as client:
        for each in or_say("There is no proposal.", list_proposals(client)):
            print(f"  {each.proposal_id}  {each.proposed_at:%Y-%m-%d}  {each.state:<9}  {each.slug}  {each.title}")


@proposals.command()
def export(
    proposal: ProposalArgument,
    file: Annotated[Path, typer.Argument(help="Where to write it; a file that is there stays.")],
    *,
    tenant: TenantOption = DEMO,
) -> None:
    """Write a proposal to a file for `youju import`. Look at its audience first."""
    with _staff(tenant) as client:
        content = export_proposal(client, proposal)
    try:
        with file.open("xb") as written:
            written.write(content)
    except OSError as refused:
        raise Trouble(f"{file} cannot be written: {refused.strerror}.") from refused
    print(f"  {TICK} {file} is written.")


@proposals.command()
def accept(
    proposal: ProposalArgument,
    *,
    reason: Annotated[str | None, typer.Option(help="Why.")] = None,
    tenant: TenantOption = DEMO,
) -> None:
    """Note that an import brings the text. Nothing is published by this."""
    _decide(tenant, proposal, "ACCEPTED", reason)


@proposals.command()
def decline(
    proposal: ProposalArgument,
    *,
    reason: Annotated[str, typer.Option(help="Why.")],
    tenant: TenantOption = DEMO,
) -> None:
    """Note that the text is not wanted."""
    _decide(tenant, proposal, "DECLINED", reason)


def _decide(tenant: str, proposal: str, state: str, reason: str | None) -> None:
    with _staff(tenant) as client:
        decided = decide_proposal(client, proposal, state=state, reason=reason)
    print(f"  {TICK} {decided.slug} is {decided.state.lower()}.")
