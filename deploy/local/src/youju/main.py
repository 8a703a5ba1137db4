"""Read the command line of `youju`."""

import io
import sys

import typer

from youju.commands import identity, knowledge, lifecycle, questions
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
app.command()(knowledge.publish)
app.command()(knowledge.withdraw)
app.command()(questions.ask)
app.command()(identity.token)
app.command("provision")(identity.provision_databases)
app.add_typer(identity.tenants, name="tenant")


@app.command()
def doctor() -> None:
    """Check everything and say what to do about each fault; exits with 1 when there is one."""
    # The checks read every service's settings and drivers: half a second that no other command should wait for.
    from youju.commands.doctor import examine  # noqa: PLC0415

    raise typer.Exit(examine())


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
