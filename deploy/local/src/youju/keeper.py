"""Keep one process alive: start it again after a death, with a growing pause, until giving up."""

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
        self._due: float | None = None

    def start(self) -> None:
        """Start the process. Errors: whatever its first start raises."""
        self._started = self._clock()
        self.watched.start()

    def tend(self) -> None:
        """Notice a death, and start again when the pause is over.

        Errors: Trouble with the last lines of the log when it keeps dying.
        """
        if self._due is None and not self.watched.is_running():
            self.record = after_death(self.record, lived_seconds=self._clock() - self._started)
            self._due = self._clock() + self._pause()
        if self._due is not None and self._clock() >= self._due:
            self._due = None
            self._start_again()

    def _pause(self) -> float:
        delay = restart_delay(self.record)
        if delay is None:
            raise Trouble(
                f"{self.watched.name} keeps ending right after its start; the last lines of its log follow.",
                details=last_lines(self.watched.log),
            )
        return delay

    def _start_again(self) -> None:
        """Start; a server that refuses counts as one more death, which the next turn notices."""
        try:
            self.start()
        except Trouble as refused:
            print(refused.sentence, flush=True)
