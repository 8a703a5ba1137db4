"""Verify the answer log, and run an attempt of it again."""

import sys
from typing import Annotated, Final

import typer

from youju.commands.knowledge import TenantOption
from youju.home import find_home
from youju.importing import staff
from youju.sealed_log import (
    Fault,
    JudgedDraft,
    Replay,
    Verified,
    is_short,
    read_heads,
    replay_attempt,
    told,
    verify_log,
)
from youju.settings import settings_of
from youju.tenants import DEMO
from youju.terminal import CROSS, TICK, show_table

CHANGED_STATUS: Final = 3
CUT_STATUS: Final = 4
DIFFERS_STATUS: Final = 3


def verify(
    *,
    head: Annotated[
        str | None,
        typer.Option(help="A saved head as number:hash, or the file that knowledge writes them to: all of it."),
    ] = None,
    tenant: TenantOption = DEMO,
) -> None:
    """Prove that nothing of the answer log was changed or removed; exits with 3 when it was, 4 when its tail was cut."""
    saved = () if head is None else read_heads(head, tenant=tenant)
    with staff(settings_of(find_home()), tenant, roles=("operator",)) as client:
        verified = verify_log(client, _show_progress, saved=saved)
    if verified.fault is not None:
        _show_fault(verified.fault)
        raise typer.Exit(CHANGED_STATUS)
    if verified.lost is not None:
        print(f"  {CROSS} The chain does not hold the saved head {verified.lost}: its tail was cut or written anew.")
        raise typer.Exit(CUT_STATUS)
    _show_verified(verified, saved=len(saved))


def replay(
    attempt_id: Annotated[str, typer.Argument(metavar="ATTEMPT", help="As printed: att_…")],
    *,
    tenant: TenantOption = DEMO,
) -> None:
    """Repeat an attempt's retrieval and validation and show what differs; exits with 3 when something does."""
    with staff(settings_of(find_home()), tenant, roles=("reviewer",)) as client:
        found = replay_attempt(client, attempt_id)
    _show_replay(found)
    if not found.agrees:
        raise typer.Exit(DIFFERS_STATUS)


def _show_progress(rows: int) -> None:
    if sys.stdout.isatty():
        print(f"  … {rows} rows", end="\r", flush=True)


def _show_verified(verified: Verified, *, saved: int) -> None:
    print(f"  {TICK} {verified.rows} rows in {verified.batches} batches are what was sealed.")
    if verified.erased:
        print(f"    {verified.erased} of them ERASED: their texts are gone, what is left is unchanged.")
    if verified.waiting:
        print(f"    {verified.waiting} newer rows wait for their seal.")
    if verified.head is not None:
        print(f"    head {verified.head}")
    if saved:
        print(
            "    The saved head is part of the chain." if saved == 1 else f"    All {saved} saved heads are part of it."
        )


def _show_fault(fault: Fault) -> None:
    print(f"  {CROSS} The log is not what was sealed: {fault.finding}.")
    places = {"batch": fault.batch, "row": fault.row, "attempt": fault.attempt_id, "field": fault.field}
    for name, value in places.items():
        if value is not None:
            print(f"    {name:<8}{value}")


def _show_replay(found: Replay) -> None:
    print(f"  {found.attempt_id}, version {found.version or '—'}, as of {found.as_of}")
    for passage in found.withdrawn:
        print(f"    {passage.document}: passage {passage.passage_id} withdrawn {passage.withdrawn_at:%Y-%m-%d %H:%M}")
    if found.erased_at is not None:
        print(f"  ERASED {found.erased_at:%Y-%m-%d %H:%M}: the texts are gone, so nothing can be run again.")
        return
    print(f"    {found.question}")
    if found.settings_differ:
        print("    The settings that decide about answers are others now.")
    if found.drafts:
        show_table([("draft", "verdict then", "verdict now"), *(_draft_row(each) for each in found.drafts)])
    if found.agrees:
        print(f"  {TICK} Candidates, policy context, verdicts and outcome are what was logged.")
        return
    short = [each for each in found.differences if is_short(each)]
    show_table([("differs", "logged", "now"), *((each.field, each.logged, each.now) for each in short)])
    for each in found.differences:
        if each not in short:
            print(*(f"  {line}" for line in told(each)), sep="\n")


def _draft_row(draft: JudgedDraft) -> tuple[str, ...]:
    return draft.writer, _verdict(draft.logged), _verdict(draft.now)


def _verdict(codes: tuple[str, ...] | None) -> str:
    return "not judged" if codes is None else ", ".join(codes) or "passed"
