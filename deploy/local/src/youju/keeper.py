"""Keep one process alive: start it again after a death, with a growing pause, until giving up.

A process that refuses its settings before it ever worked is given up at once: the same settings would be refused again.
"""

import time
from collections.abc import Callable

from youju.child import Watched
from youju.logs import last_lines
from youju.restarting import Record, after_death, restart_delay
from youju.trouble import Trouble


class Keeper:
    """Watches one process. `tend` is called again and again and never waits."""

    def __init__(self, watched: Watched, clock: Callable[[], float] = time.monotonic) -> None:
        """Remember the process; nothing is started before `start`."""
        self.watched = watched
        self.record = Record()
        self._clock = clock
        self._started = 0.0
        self._was_ready = False
        self._has_worked = False
        self._due: float | None = None

    def start(self) -> None:
        """Start the process. Errors: whatever its first start raises."""
        self._started = self._clock()
        self._was_ready = False
        self.watched.start()

    def is_ready(self) -> bool:
        """Say whether the process has been ready since its start; it is asked only until it has."""
        self._was_ready = self._was_ready or self.watched.is_ready()
        self._has_worked = self._has_worked or self._was_ready
        return self._was_ready

    def tend(self) -> None:
        """Notice a death, and start again when the pause is over.

        Errors: Trouble with the last lines of the log when it refuses its first start or keeps dying.
        """
        if self._due is None and self.watched.is_running():
            self.is_ready()
        elif self._due is None:
            self._heed_refusal()
            lived = self._clock() - self._started
            self.record = after_death(self.record, was_ready=self._was_ready, lived_seconds=lived)
            self._due = self._clock() + self._pause()
        if self._due is not None and self._clock() >= self._due:
            self._due = None
            self._start_again()

    def _heed_refusal(self) -> None:
        # Settings that come from files and rows may be mended while the others work.
        if self.watched.is_refused() and not self._has_worked:
            raise Trouble(
                f"{self.watched.name} refuses to start with these settings; the last lines of its log follow.",
                details=last_lines(self.watched.log),
            )

    def _pause(self) -> float:
        delay = restart_delay(self.record)
        if delay is None:
            raise Trouble(
                f"{self.watched.name} keeps ending before it can work; the last lines of its log follow.",
                details=last_lines(self.watched.log),
            )
        return delay

    def _start_again(self) -> None:
        """Start; a server that refuses counts as one more death, which the next turn notices."""
        try:
            self.start()
        except Trouble as refused:
            print(refused.sentence, flush=True)
