"""Readiness of processes without a port: a file that exists while they work, and that they touch again and again.

A file alone says of a process that hangs, or was stopped, what it said of it when all was well.
"""

import contextlib
import os
import time
from pathlib import Path
from typing import Final

# A pulse says so of itself, and a worker by Celery's own heartbeat, every two seconds.
BEAT_SECONDS: Final = 1.0
# A machine that is busy keeps a process from its beat for some seconds, never for so long.
_SILENT_SECONDS: Final = 60.0


def mark_ready() -> None:
    """Say that this process is ready, in the file YOUJU_READY_FILE names, if it names one."""
    if path := _file():
        path.write_text(str(os.getpid()), encoding="ascii")


def keep_ready() -> None:
    """Say that this process still works. Repeat: what was taken back stays so."""
    if path := _file():
        with contextlib.suppress(FileNotFoundError):
            os.utime(path)


def silence_of(file: Path, *, now: float | None = None) -> float | None:
    """Say for how many seconds a process has not touched its file; None where there is none.

    A clock that was set back makes a file of the future, which counts like one of the past.
    """
    try:
        return abs((time.time() if now is None else now) - file.stat().st_mtime)
    except FileNotFoundError:
        return None


def is_kept_ready(file: Path, *, silent_seconds: float = _SILENT_SECONDS) -> bool:
    """Tell whether the process that a file belongs to said lately that it works."""
    silence = silence_of(file)
    return silence is not None and silence < silent_seconds


def mark_stopped() -> None:
    """Take the readiness back."""
    if path := _file():
        path.unlink(missing_ok=True)


def _file() -> Path | None:
    name = os.environ.get("YOUJU_READY_FILE")
    return Path(name) if name else None
