"""Readiness of processes without a port: a file that exists while they work."""

import os
from pathlib import Path


def mark_ready() -> None:
    """Say that this process is ready, in the file YOUJU_READY_FILE names, if it names one."""
    if path := _file():
        path.write_text(str(os.getpid()), encoding="ascii")


def mark_stopped() -> None:
    """Take the readiness back."""
    if path := _file():
        path.unlink(missing_ok=True)


def _file() -> Path | None:
    name = os.environ.get("YOUJU_READY_FILE")
    return Path(name) if name else None
