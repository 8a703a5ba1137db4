"""A tiny system of fake processes for the supervisor to run."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from youju.home import Home
from youju.progress import Event, read_event
from youju.state import State, read_state

_API: Final = """
import http.server, os
class Ready(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
http.server.HTTPServer(("127.0.0.1", int(os.environ["YOUJU_BFF_PORT"])), Ready).serve_forever()
"""
_WORKER: Final = """
import os, pathlib, signal, threading
stop = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: stop.set())
pathlib.Path(os.environ["YOUJU_READY_FILE"]).write_text("ready")
stop.wait()
"""
_DYING: Final = "raise SystemExit('the made-up setting is missing')"
_REFUSING: Final = """
import sys
print("the made-up setting is not valid", flush=True)
sys.exit(78)
"""
_DEAF: Final = """
import os, pathlib, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path(os.environ["YOUJU_READY_FILE"]).write_text("ready")
time.sleep(60)
"""
_MIGRATIONS: Final = "print('nothing to do')"
_FAILING_MIGRATIONS: Final = "raise SystemExit('relation is missing')"

# Runs the supervisor over the parts named on its command line, as `youju.supervisor` does over the real table.
_RUN: Final = """
import os, sys
from youju.home import find_home
from youju.progress import Progress
from youju.supervisor import supervise
from youju.table import Part, System

def part(name):
    return Part(name, f"fake_{name}", port_setting="YOUJU_BFF_PORT" if name == "api" else None)

migrations, *names = sys.argv[1:]
find_home().prepare()
system = System(migrations=(f"fake_{migrations}",), parts=tuple(part(name) for name in names))
raise SystemExit(supervise(find_home(), os.environ, Progress(os.fdopen(os.dup(1), "w")), system))
"""


class FakeInstallation:
    """An installation whose processes are a few lines each; its databases and queue are said to be elsewhere."""

    def __init__(self, folder: Path, port: int) -> None:
        """Write the fakes into a folder."""
        self.home = Home(folder / "home")
        self.port = port
        fakes = folder / "fakes"
        fakes.mkdir()
        for name, text in (
            ("api", _API),
            ("worker", _WORKER),
            ("dying", _DYING),
            ("refusing", _REFUSING),
            ("deaf", _DEAF),
            ("migrations", _MIGRATIONS),
            ("failing_migrations", _FAILING_MIGRATIONS),
        ):
            (fakes / f"fake_{name}.py").write_text(text)
        elsewhere = {f"YOUJU_{service}_DATABASE_URL": "postgresql:///" for service in ("KNOWLEDGE", "BFF", "TICKETING")}
        self.environment = {
            **os.environ,
            **elsewhere,
            "PYTHONPATH": str(fakes),
            "YOUJU_HOME": str(self.home.folder),
            "YOUJU_REDIS_URL": "unix:///nowhere",
            "YOUJU_BFF_PORT": str(port),
            "YOUJU_KNOWLEDGE_PORT": str(free_port()),
            "YOUJU_TICKETING_PORT": str(free_port()),
        }
        self._running: list[subprocess.Popen[str]] = []

    def start(self, *parts: str, migrations: str = "migrations") -> subprocess.Popen[str]:
        """Start a supervisor over the named fakes; it reports on its standard output."""
        command = [sys.executable, "-c", _RUN, migrations, *parts]
        process = subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, text=True)
        self._running.append(process)
        return process

    def state(self) -> State:
        """Read what the supervisor says."""
        state = read_state(self.home.state)
        assert state is not None
        return state

    def close(self) -> None:
        """End every supervisor that still runs."""
        for process in self._running:
            process.terminate()
            process.communicate(timeout=60)


def events_of(process: subprocess.Popen[str]) -> list[Event]:
    """Read the supervisor's report up to its last line."""
    assert process.stdout is not None
    found: list[Event] = []
    for line in process.stdout:
        event = read_event(line)
        if event is not None:
            found.append(event)
        if event is not None and event.kind in {"ready", "trouble"}:
            break
    return found


def free_port() -> int:
    """Return a port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[FakeInstallation]:
    """Give an installation in which nothing runs yet."""
    made = FakeInstallation(tmp_path, free_port())
    yield made
    made.close()
