"""Decide when a process that died is started again, and when to give up."""

from dataclasses import dataclass
from typing import Final

# A process that was ready and lived this long was working; any other death counts as failing to start. How long it
# lived says nothing by itself: on a busy machine a faulty process takes its time to find its fault.
STEADY_SECONDS: Final = 5.0
_DELAYS_SECONDS: Final = (0.5, 1.0, 2.0)


@dataclass(frozen=True)
class Record:
    """How often a process died, and how often in a row without having worked."""

    restarts: int = 0
    failed_starts: int = 0


def after_death(record: Record, *, was_ready: bool, lived_seconds: float) -> Record:
    """Count one more death."""
    worked = was_ready and lived_seconds >= STEADY_SECONDS
    return Record(restarts=record.restarts + 1, failed_starts=1 if worked else record.failed_starts + 1)


def restart_delay(record: Record) -> float | None:
    """Return how long to wait before the next start, or None to give up."""
    if record.failed_starts > len(_DELAYS_SECONDS):
        return None
    return _DELAYS_SECONDS[record.failed_starts - 1]
