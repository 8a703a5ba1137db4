"""Start, stop, watch and remove the installation."""

import os
import signal
import time
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Annotated, Final

import typer

from youju.addresses import welcome
from youju.gating import ROLES, unproven
from youju.home import EXAMPLES, Home, find_home, remove_everything
from youju.importing import import_material, required_version, staff
from youju.leftovers import end_leftovers
from youju.lock import running_supervisor
from youju.logs import last_lines, new_lines
from youju.material import gather_folder
from youju.processes import wait_until
from youju.progress import Event
from youju.releasing import has_published_version, publish_version
from youju.settings import settings_of
from youju.starting import start_supervisor
from youju.state import State, read_state
from youju.tenants import DEMO, known_tenants
from youju.terminal import CROSS, TICK, show_step, show_table
from youju.trouble import Trouble

# A little longer than the supervisor gives its parts and its servers one after the other.
_STOP_SECONDS: Final = 90
_START_SECONDS: Final = 180
_FOLLOW_SECONDS: Final = 0.3
_MOST_LOOKED_AT: Final = 20


def up() -> None:
    """Start everything and return when it is ready."""
    home = find_home()
    home.prepare()
    if running_supervisor(home) is None:
        start_supervisor(home, show_step)
        print(f"  {TICK} Youju is ready.")
    else:
        _wait_for_other_start(home)
        print(f"  {TICK} Youju is running already.")
    settings = settings_of(home)
    _bring_in_examples(settings)
    _say_what_is_unproven(settings)
    print(welcome(settings))


def _say_what_is_unproven(settings: Mapping[str, str]) -> None:
    """Say which tenants are answered under settings that were not measured; a local start goes on all the same."""
    for tenant in islice(known_tenants(Path(settings["YOUJU_TENANTS_FILE"])), _MOST_LOOKED_AT):
        with staff(settings, tenant, roles=ROLES) as client:
            for sentence in unproven(client):
                print(f"  {CROSS} {tenant}: {sentence}")


def down() -> None:
    """Stop everything."""
    home = find_home()
    supervisor = running_supervisor(home)
    if supervisor is None:
        print(f"  {TICK} {_clear_away(home)}")
        return
    os.kill(supervisor, signal.SIGTERM)
    if not wait_until(lambda: running_supervisor(home) is None, seconds=_STOP_SECONDS):
        raise Trouble(f"The supervisor (process {supervisor}) does not end; end it with `kill -9 {supervisor}`.")
    print(f"  {TICK} Youju is stopped.")


def clean() -> None:
    """Stop everything and remove databases, keys and logs."""
    down()
    home = find_home()
    remove_everything(home)
    print(f"  {TICK} {home.folder} is removed.")


def status() -> None:
    """List the processes; exit with 1 when the installation does not run."""
    home = find_home()
    supervisor = running_supervisor(home)
    state = read_state(home.state)
    if supervisor is None or state is None:
        raise Trouble("Youju is not running; start it with `make up`.", details=_last_words(state))
    head = ("", "process", "id", "restarts", "")
    show_table([head, ("", "supervisor", str(supervisor), "", ""), *_rows(state, home)])
    print(welcome(settings_of(home)))


def logs(
    names: Annotated[list[str] | None, typer.Argument(help="Processes to show; all when none is named.")] = None,
    *,
    lines: Annotated[int, typer.Option(help="How many last lines of each.")] = 20,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with what is added.")] = False,
) -> None:
    """Show the last lines of the log files."""
    files = list(_log_files(find_home(), names or []))
    for file in files:
        for line in last_lines(file, count=lines):
            print(f"{file.stem:<17} {line}")
    places = {file: file.stat().st_size for file in files}
    while follow:
        time.sleep(_FOLLOW_SECONDS)
        for file in files:
            added, places[file] = new_lines(file, places[file])
            for line in added:
                print(f"{file.stem:<17} {line}", flush=True)


def _bring_in_examples(settings: Mapping[str, str]) -> None:
    """Give the tenant `demo` something to answer from. Repeat: a published version stays."""
    with staff(settings, DEMO) as client:
        if has_published_version(client):
            return
        started = time.monotonic()
        state = import_material(client, gather_folder(EXAMPLES), lambda _: None, refuse_faulty=True)
        publish_version(client, required_version(state))
    text = f"Examples: {state.files_done} files, {state.passages} passages"
    show_step(Event(kind="done", text=text, seconds=time.monotonic() - started))


def _wait_for_other_start(home: Home) -> None:
    def is_ready() -> bool:
        supervisor, state = running_supervisor(home), read_state(home.state)
        return supervisor is None or (state is not None and state.says_ready(supervisor))

    if not wait_until(is_ready, seconds=_START_SECONDS) or running_supervisor(home) is None:
        raise Trouble("Another start of this installation did not get ready; see `make logs`.")


def _clear_away(home: Home) -> str:
    state = read_state(home.state)
    ended = end_leftovers(state) if state is not None else ()
    if ended:
        return f"Ended what an earlier run left behind: {', '.join(ended)}."
    return "Youju is not running."


def _last_words(state: State | None) -> tuple[str, ...]:
    if state is None or not state.gave_up:
        return ()
    return tuple(f"It ended because: {state.gave_up}".splitlines())


def _rows(state: State, home: Home) -> Iterator[tuple[str, str, str, str, str]]:
    for part in state.parts:
        silence = home.silence_of(part.name) if part.pid else None
        told = "" if silence is None else f"hangs: nothing was heard of it for {silence:.0f} seconds"
        mark = TICK if part.pid and not told else CROSS
        yield (mark, part.name, str(part.pid or "-"), str(part.restarts), told)


def _log_files(home: Home, names: list[str]) -> Iterator[Path]:
    known = {file.stem: file for file in sorted(home.logs.glob("*.log"))}
    for name in names or known:
        if name not in known:
            raise Trouble(f"There is no log named {name}; there are: {', '.join(known) or 'none yet'}.")
        yield known[name]
