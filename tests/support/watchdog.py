"""End what a test session started when the session itself is gone: killed, or interrupted twice.

`watching` holds a pipe to a process of this module for as long as its block runs. However the session ends, the pipe
closes with it; the process then ends what still runs, which is nothing after an ordinary end, and removes the folder.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from youju.embedded import postgres, valkey

_CHECKOUT: Final = Path(__file__).resolve().parents[2]


@contextmanager
def watching(kind: str, folder: Path) -> Generator[None]:
    """Watch over `servers` on a folder, or over the whole `system` in one, and remove the folder at the end."""
    # A session of its own, because an interrupt goes to everything that the terminal started.
    watchdog = subprocess.Popen(
        [sys.executable, "-m", "tests.support.watchdog", kind, folder],
        cwd=_CHECKOUT,
        stdin=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        yield
    finally:
        watchdog.communicate()


def end_servers(folder: Path) -> None:
    """End a Postgres and a Valkey that still run on this folder."""
    postgres.end_leftover(folder / "postgres")
    valkey.end_leftover(folder / "valkey")


def end_system(folder: Path) -> None:
    """Stop the system that still runs in this home."""
    command = [Path(sys.executable).parent / "youju", "down"]
    subprocess.run(command, env={**os.environ, "YOUJU_HOME": str(folder)}, capture_output=True, check=False)


if __name__ == "__main__":
    sys.stdin.read()
    left = Path(sys.argv[2])
    {"servers": end_servers, "system": end_system}[sys.argv[1]](left)
    shutil.rmtree(left, ignore_errors=True)
