"""Read the command line of `youju`."""

import io
import sys
from pathlib import Path
from typing import Annotated

import typer

from youju.commands import (
    audit,
    calibration,
    conflicts,
    customers,
    golden,
    identity,
    keys,
    knowledge,
    lifecycle,
    masks,
    notices,
    originals,
    questions,
    releases,
    review,
    sealed_log,
    search,
    thresholds,
    tickets,
)
from youju.commands.knowledge import TenantOption
from youju.tenants import DEMO, of_tenant
from youju.terminal import show_trouble
from youju.trouble import Trouble

app = typer.Typer(
    help="Customer-service answers that can be checked: run it, feed it, ask it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (lifecycle.up, lifecycle.down, lifecycle.clean, lifecycle.status, lifecycle.logs):
    app.command()(command)
app.command("import")(knowledge.import_)
for command in (
    releases.versions, releases.approve, releases.publish, releases.rollback, releases.discard, releases.withdraw,
    releases.restore, releases.documents, releases.timeline, releases.diff,
):  # fmt: skip
    app.command(rich_help_panel="Releases")(command)
app.command()(questions.ask)
app.command()(search.search)
app.command("calibrate")(calibration.calibrate_)
app.command()(identity.token)
app.command("provision")(identity.provision_databases)
app.add_typer(identity.tenants, name="tenant")
app.add_typer(keys.keys, name="keys")
app.add_typer(customers.customers, name="customers")
app.add_typer(customers.feedback, name="feedback")
app.add_typer(masks.masks, name="masks")
app.add_typer(conflicts.conflicts, name="conflicts")
app.add_typer(golden.golden, name="golden")
app.add_typer(thresholds.thresholds, name="thresholds")
app.add_typer(review.review, name="review")
app.add_typer(review.proposals, name="proposals")
app.add_typer(originals.originals, name="originals")
for command in (sealed_log.verify, sealed_log.replay):
    audit.audit.command()(command)
app.add_typer(audit.audit, name="audit")
app.add_typer(notices.notices, name="notices")
app.command()(tickets.queues)
app.add_typer(tickets.tickets, name="tickets")
app.add_typer(tickets.parked, name="parked")


@app.command()
def doctor() -> None:
    """Check everything and say what to do about each fault; exits with 1 when there is one."""
    # The checks read every service's settings and drivers: half a second that no other command should wait for.
    from youju.commands.doctor import examine  # noqa: PLC0415

    raise typer.Exit(examine())


@app.command("eval")
def evaluate(  # noqa: PLR0913 - one argument an option
    file: Annotated[
        Path | None, typer.Argument(help="A file of golden questions; the stored cases when left out.")
    ] = None,
    *,
    manifest: Annotated[
        Path | None,
        typer.Option(
            help="What the scopes of the file hold; ../corpora/manifest.jsonl beside it when that is there,"
            " else what the tenant has published."
        ),
    ] = None,
    as_json: Annotated[Path | None, typer.Option("--json", help="Write everything measured to this file.")] = None,
    attach: Annotated[bool, typer.Option("--attach", help="Attach what was measured to the versions asked.")] = False,
    gate: Annotated[
        bool,
        typer.Option("--gate", help="Exit with 1 when the result misses the thresholds, with 3 when none are set."),
    ] = False,
    curve: Annotated[bool, typer.Option("--curve", help="Print wrong answers against needless refusals.")] = False,
    tenant: TenantOption = DEMO,
    version: Annotated[
        int | None, typer.Option(help="The version to ask the stored cases; the newest that waits when left out.")
    ] = None,
    case_set: Annotated[list[str] | None, typer.Option("--set", help="Ask this stored set only.")] = None,
    page: Annotated[Path | None, typer.Option(help="Write the page of plots to this file.")] = None,
) -> None:
    """Ask golden questions and score the answers; exits with 1 when what must hold does not."""
    # Scoring loads the validator and its dictionaries, which no other command should wait for.
    if file is None:
        from youju.commands.gate import run_stored  # noqa: PLC0415

        status = run_stored(
            tenant=tenant, version=version, case_sets=case_set or (), as_json=as_json, page=page, gate=gate, curve=curve
        )
        raise typer.Exit(status)
    if gate or curve:
        raise Trouble(
            f"Gate and curve are of stored cases: `youju golden import{of_tenant(tenant)}` the file, then"
            f" `youju eval{of_tenant(tenant)}` without it."
        )
    from youju.commands.evaluation import run_evaluation  # noqa: PLC0415

    raise typer.Exit(run_evaluation(file, tenant=tenant, manifest=manifest, as_json=as_json, attach=attach))


def run() -> None:
    """Run a command; trouble ends it with one sentence and status 1."""
    _always_print_utf8()
    try:
        app()
    except Trouble as trouble:
        show_trouble(trouble)
        raise SystemExit(1) from None


def _always_print_utf8() -> None:
    """Keep ticks and Chinese text printable whatever locale the terminal claims."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
