"""End what a supervisor that was killed left running."""

import shutil
import signal
from pathlib import Path

from youju.processes import command_of, end
from youju.state import State

_PATIENCE_SECONDS = 10.0


def end_leftovers(state: State) -> tuple[str, ...]:
    """End the processes of a state whose supervisor is gone, and return their names.

    A number that another program has taken over since is recognised by its command line and left alone.
    """
    ended: list[str] = []
    for part in reversed(state.parts):
        if part.pid and part.mark in command_of(part.pid):
            end(part.pid, (signal.SIGTERM, signal.SIGINT, signal.SIGKILL), patience_seconds=_PATIENCE_SECONDS)
            ended.append(part.name)
    remove_sockets(state.sockets)
    return tuple(ended)


def remove_sockets(folder: Path) -> None:
    """Remove a folder of sockets. Repeat: harmless."""
    if folder.name.startswith("youju-"):
        shutil.rmtree(folder, ignore_errors=True)
