"""Know how much time has surely passed by a clock that may have been set: a stopwatch runs beside it.

All workers measure leases and bounds by the clock of the database. Were it set forward while a request is under way, a lookup
would be believed too early; were it set back, a key would seem younger than it is. Each process compares that clock with a
stopwatch from its start on, and counts no time that did not pass. A machine has one stopwatch for all its processes: by what a
try noted of it, one that starts after such a step knows how long ago the try was.
"""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

# Reading a clock over the network and a stopwatch beside it takes a moment; what is set by less changes no decision.
_NOISE: Final = timedelta(seconds=2)
_REMEMBERED: Final = 100
_NOTHING: Final = timedelta(0)


@dataclass(frozen=True, slots=True)
class _Step:
    """By how much the clock gained, negative when it was set back; whoever noted `latest` or earlier may have noted it before."""

    latest: datetime
    gain: timedelta


@dataclass(frozen=True, slots=True)
class Passed:
    """How much time has passed at the least and at the most."""

    surely: timedelta
    at_most: timedelta


class Steps:
    """The steps of a clock that this process has seen."""

    def __init__(self, stopwatch: Callable[[], float], *, machine: str) -> None:
        """Take seconds that only run forward, and the name of the machine on which they do, from one start to the next."""
        self.machine = machine
        self._stopwatch = stopwatch
        self._lock = threading.Lock()
        self._seen: tuple[datetime, float] | None = None
        self._steps: deque[_Step] = deque(maxlen=_REMEMBERED)

    def seconds(self) -> float:
        """Read the stopwatch."""
        return self._stopwatch()

    def since(self, seconds: float) -> timedelta:
        """Say how long ago the stopwatch of this machine showed so many seconds."""
        return timedelta(seconds=self._stopwatch() - seconds)

    def see(self, now: datetime) -> None:
        """Compare what the clock shows with the stopwatch."""
        with self._lock:
            seconds = self._stopwatch()
            if self._seen is not None:
                self._compare(now, expected=self._seen[0] + timedelta(seconds=seconds - self._seen[1]))
            self._seen = (now, seconds)

    def passed(self, since: datetime, now: datetime) -> Passed:
        """Say how much time has passed between two moments that the clock showed, the later of them just now."""
        self.see(now)
        with self._lock:
            gains = [step.gain for step in self._steps if since <= step.latest]
        shown = now - since
        return Passed(
            surely=shown - sum((gain for gain in gains if gain > _NOTHING), _NOTHING),
            at_most=shown - sum((gain for gain in gains if gain < _NOTHING), _NOTHING),
        )

    def _compare(self, now: datetime, *, expected: datetime) -> None:
        gain = now - expected
        if abs(gain) > _NOISE:
            self._steps.append(_Step(latest=max(now, expected), gain=gain))
