"""Hold one lock for one installation, and say in one sentence whose it is when somebody else holds it."""

import fcntl
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from youju.home import CHECKOUT, Home
from youju.processes import command_of, is_alive
from youju.trouble import Trouble

SUPERVISOR_MODULE = "youju.supervisor"


@dataclass(frozen=True)
class Holder:
    """Who wrote the lock file."""

    pid: int
    checkout: Path


def take_lock(home: Home) -> IO[str]:
    """Take the lock for as long as the returned file stays open.

    Errors: Trouble when another process holds it.
    Repeat: a file left by a process that is gone is simply taken over.
    """
    file = _open(home)
    if not _try_lock(file):
        file.close()
        raise Trouble(_whose(home, read_holder(home)))
    file.seek(0)
    file.truncate()
    json.dump({"pid": os.getpid(), "checkout": str(CHECKOUT)}, file)
    file.flush()
    return file


def running_supervisor(home: Home) -> int | None:
    """Return the process id of our supervisor, or None when nothing runs.

    Errors: Trouble when the lock is held by anything but a supervisor of this checkout.
    """
    if not home.lock.exists():
        return None
    with _open(home) as file:
        if _try_lock(file):
            return None
    holder = read_holder(home)
    if holder is None or not _is_ours(holder):
        raise Trouble(_whose(home, holder))
    return holder.pid


def read_holder(home: Home) -> Holder | None:
    """Read who wrote the lock file; None when nobody readable did."""
    try:
        written = json.loads(home.lock.read_text())
        return Holder(pid=int(written["pid"]), checkout=Path(written["checkout"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _open(home: Home) -> IO[str]:
    try:
        return home.lock.open("a+")
    except PermissionError as refused:
        raise Trouble(
            f"{home.lock} belongs to another user: set YOUJU_HOME to a folder of your own, or ask them to run `make down`."
        ) from refused


def _try_lock(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_ours(holder: Holder) -> bool:
    return holder.checkout == CHECKOUT and SUPERVISOR_MODULE in command_of(holder.pid)


def _whose(home: Home, holder: Holder | None) -> str:
    if holder is None or not is_alive(holder.pid):
        return (
            f"{home.lock} is locked, but not by a running supervisor: a process left over from an earlier run holds it; "
            f"end that process, or remove the file, and try again."
        )
    if holder.checkout != CHECKOUT:
        return (
            f"{home.folder} is in use by the checkout {holder.checkout} (process {holder.pid}): "
            f"run `make down` there, or set YOUJU_HOME to another folder."
        )
    if SUPERVISOR_MODULE not in command_of(holder.pid):
        return f"{home.lock} is locked by a process that is not Youju's (process {holder.pid}): end it and try again."
    return f"Youju is running already (process {holder.pid})."
