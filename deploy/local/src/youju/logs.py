"""Read the ends of log files."""

from pathlib import Path
from typing import Final

# Enough for forty long lines; a log file may be large.
_TAIL_BYTES: Final = 16_384


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
