"""What our servers have in common: a process with a log, which answers some time after it was started and is stopped in good order."""

import signal
import subprocess
from abc import ABC, abstractmethod
from pathlib import Path

from youju.logs import last_lines
from youju.processes import wait_until
from youju.trouble import Trouble


class Server(ABC):
    """One server; its kind says how it starts, answers and is killed."""

    def __init__(
        self, title: str, home: Path, *, start_seconds: float, stop_seconds: float, stop_signal: signal.Signals
    ) -> None:
        """Take its name for people, where its log goes, how long it may start and stop, and what asks it to stop."""
        self.name = title.lower()
        self.log = home / "logs" / f"{self.name}.log"
        self._title = title
        self._start_seconds = start_seconds
        self._stop_seconds = stop_seconds
        self._stop_signal = stop_signal
        self._process: subprocess.Popen[bytes] | None = None

    @abstractmethod
    def kill(self) -> None:
        """End at once; the next start recovers what was written."""

    @abstractmethod
    def _answers(self) -> bool:
        """Say whether it takes a connection."""

    @property
    def pid(self) -> int:
        """Return the process id, 0 when it does not run."""
        return self._process.pid if self._process is not None and self.is_running() else 0

    def stop(self) -> None:
        """Write everything to disk and end. Repeat: harmless."""
        self.ask_to_stop()
        if not self._has_ended_in_time():
            self.kill()

    def ask_to_stop(self) -> None:
        """Begin a clean stop, for which nobody's open transaction is waited for."""
        if self._process is not None:
            self._process.send_signal(self._stop_signal)

    def is_ready(self) -> bool:
        """Say whether the server answers."""
        return self.is_running() and self._answers()

    def is_running(self) -> bool:
        """Say whether the server's process lives."""
        return self._process is not None and self._process.poll() is None

    def is_refused(self) -> bool:
        """Say no: what a server says of its settings stands in its log, and has no status of its own."""
        return False

    def _has_ended_in_time(self) -> bool:
        return wait_until(lambda: not self.is_running(), seconds=self._stop_seconds)

    def _wait(self) -> None:
        """Wait until a server that was just started answers. Errors: Trouble with the last lines of its log."""
        ready = wait_until(lambda: not self.is_running() or self._answers(), seconds=self._start_seconds)
        if ready and self.is_running():
            return
        self.stop()
        raise Trouble(f"{self._title} does not start; the last lines of its log follow.", details=last_lines(self.log))
