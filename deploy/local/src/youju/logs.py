"""Read the ends of log files."""

from pathlib import Path
from typing import Final

# Enough for forty long lines; a log file may be large.
_TAIL_BYTES: Final = 16_384
_LARGE_BYTES: Final = 20_000_000


def last_lines(log: Path, *, count: int = 12) -> tuple[str, ...]:
    """Return the last lines of a log file, oldest first; nothing when there is no file."""
    try:
        with log.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _TAIL_BYTES))
            text = file.read().decode(errors="replace")
    except FileNotFoundError:
        return ()
    return tuple(text.splitlines()[-count:])


def trim_logs(folder: Path) -> None:
    """Move each log file that has grown large aside, replacing the one moved before."""
    for log in folder.glob("*.log"):
        if log.stat().st_size > _LARGE_BYTES:
            log.replace(log.with_suffix(".log.1"))


def new_lines(log: Path, position: int) -> tuple[tuple[str, ...], int]:
    """Return the whole lines added since a position, and the position after them; a shorter file is read anew."""
    with log.open("rb") as file:
        start = position if file.seek(0, 2) >= position else 0
        file.seek(start)
        text = file.read()
    complete = text[: text.rfind(b"\n") + 1]
    return tuple(complete.decode(errors="replace").splitlines()), start + len(complete)
