"""Look at and end processes by their number, also those another run left behind."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

_POLL_SECONDS: Final = 0.02
_PROC: Final = Path("/proc")


def is_alive(pid: int) -> bool:
    """Say whether a process runs under this number; a zombie does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_zombie(pid)


def command_of(pid: int) -> str:
    """Return the command line of a process, or an empty text when there is none to see."""
    if _PROC.joinpath("self").exists():
        try:
            raw = _PROC.joinpath(str(pid), "cmdline").read_bytes()
        except OSError:
            return ""
        return raw.replace(b"\0", b" ").decode(errors="replace").strip()
    listing = shutil.which("ps")
    if listing is None:
        return ""
    shown = subprocess.run(
        [listing, "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False, timeout=10
    )
    return shown.stdout.strip()


def end(pid: int, signals: Sequence[signal.Signals], *, patience_seconds: float) -> bool:
    """Send one signal after the other, each with its patience, until the process is gone; say whether it is."""
    for each in signals:
        try:
            os.kill(pid, each)
        except ProcessLookupError:
            return True
        if wait_until(lambda: not is_alive(pid), seconds=patience_seconds):
            return True
    return False


def wait_until(condition: Callable[[], bool], *, seconds: float) -> bool:
    """Poll a condition until it holds or the time is over; say whether it held."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def _is_zombie(pid: int) -> bool:
    try:
        fields = _PROC.joinpath(str(pid), "stat").read_text(errors="replace")
    except OSError:
        return False
    return fields.rpartition(")")[2].split()[:1] == ["Z"]
