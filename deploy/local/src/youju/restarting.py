"""Decide when a process that died is started again, and when to give up."""

from dataclasses import dataclass
from typing import Final

# A process that lived this long was working; one that did not counts as failing to start.
STEADY_SECONDS: Final = 5.0
_DELAYS_SECONDS: Final = (0.5, 1.0, 2.0)


@dataclass(frozen=True)
class Record:
    """How often a process died, and how often in a row right after its start."""

    restarts: int = 0
    quick_deaths: int = 0


def after_death(record: Record, *, lived_seconds: float) -> Record:
    """Count one more death."""
    quick = record.quick_deaths + 1 if lived_seconds < STEADY_SECONDS else 1
    return Record(restarts=record.restarts + 1, quick_deaths=quick)


def restart_delay(record: Record) -> float | None:
    """Return how long to wait before the next start, or None to give up."""
    if record.quick_deaths > len(_DELAYS_SECONDS):
        return None
    return _DELAYS_SECONDS[record.quick_deaths - 1]
