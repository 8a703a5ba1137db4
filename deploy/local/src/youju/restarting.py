"""Decide when a process that died is started again, and when to give up."""

from dataclasses import dataclass
from typing import Final

# A process that was ready and lived this long was working; after any other life the next pause is longer.
STEADY_SECONDS: Final = 5.0
_DELAYS_SECONDS: Final = (0.5, 1.0, 2.0)


@dataclass(frozen=True)
class Record:
    """How often a process died, and how often in a row too early."""

    restarts: int = 0
    failed_starts: int = 0
    """How often in a row without having been ready. How long it lived says nothing here: on a busy machine a faulty
    process takes its time to find its fault."""
    short_lives: int = 0
    """How often in a row without having worked for a while."""


def after_death(record: Record, *, was_ready: bool, lived_seconds: float) -> Record:
    """Count one more death."""
    worked = was_ready and lived_seconds >= STEADY_SECONDS
    return Record(
        restarts=record.restarts + 1,
        failed_starts=0 if was_ready else record.failed_starts + 1,
        short_lives=1 if worked else record.short_lives + 1,
    )


def restart_delay(record: Record) -> float | None:
    """Return how long to wait before the next start, or None to give up.

    A process that gets ready is never given up, however often it dies: what kills it may end, and the others can work.
    """
    if record.failed_starts > len(_DELAYS_SECONDS):
        return None
    return _DELAYS_SECONDS[min(record.short_lives, len(_DELAYS_SECONDS)) - 1]
