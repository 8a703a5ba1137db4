"""Run one Python process of the system, with its log file and its own sign of readiness."""

import http.client
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol

from runtime.health import is_kept_ready
from runtime.refusing_start import REFUSED_STATUS
from youju.home import CHECKOUT, Home
from youju.table import Part

_READINESS_TIMEOUT_SECONDS: Final = 2
_HTTP_OK: Final = 200


class Watched(Protocol):
    """What the supervisor starts, watches and stops. `mark` is a text that only its command line holds."""

    @property
    def name(self) -> str:
        """Return what people call it."""
        ...

    @property
    def log(self) -> Path:
        """Return its log file."""
        ...

    @property
    def mark(self) -> str:
        """Return a text by which its command line is known."""
        ...

    @property
    def pid(self) -> int:
        """Return its process id, 0 when it does not run."""
        ...

    def start(self) -> None:
        """Start it, or raise Trouble."""
        ...

    def ask_to_stop(self) -> None:
        """Begin a clean stop and return at once."""
        ...

    def kill(self) -> None:
        """End it at once, with all it started."""
        ...

    def is_running(self) -> bool:
        """Say whether it lives."""
        ...

    def is_ready(self) -> bool:
        """Say whether it can do its work."""
        ...

    def is_refused(self) -> bool:
        """Say whether it ended because its settings forbid it to work."""
        ...


class Child:
    """A part of the system as a process in a group of its own."""

    def __init__(self, part: Part, home: Home, environment: Mapping[str, str]) -> None:
        """Remember what to start and with which settings."""
        self.name = part.name
        self.mark = f"-m {part.module}"
        self.log = home.logs / f"{part.name}.log"
        self._module = part.module
        self._port = int(environment[part.port_setting]) if part.port_setting is not None else None
        self._ready_file = home.ready / part.name
        self._environment = {**environment, "YOUJU_READY_FILE": str(self._ready_file)}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Return the process id, 0 when it does not run."""
        return self._process.pid if self._process is not None and self.is_running() else 0

    def start(self) -> None:
        """Start the process; it is not ready yet."""
        self._ready_file.unlink(missing_ok=True)
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", self._module],
                cwd=CHECKOUT,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def ask_to_stop(self) -> None:
        """Ask the process to finish what it has begun and end."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End the process group at once."""
        if self._process is not None and self.is_running():
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def is_running(self) -> bool:
        """Say whether the process lives."""
        return self._process is not None and self._process.poll() is None

    def is_ready(self) -> bool:
        """Ask the process over HTTP, or look for the file it writes."""
        if self._port is None:
            return is_kept_ready(self._ready_file)
        return answers_ready(self._port)

    def is_refused(self) -> bool:
        """Read it from the status the process ended with."""
        return self._process is not None and self._process.poll() == REFUSED_STATUS


def answers_ready(port: int) -> bool:
    """Ask a local HTTP service whether it is ready."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_READINESS_TIMEOUT_SECONDS)
    try:
        connection.request("GET", "/health/ready")
        return connection.getresponse().status == _HTTP_OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
