"""The whole system in a home of its own: started by `youju up`, as a user would, on free ports."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from http import HTTPStatus
from pathlib import Path
from typing import Final, TypeVar

import httpx
import pytest

from runtime.http import trust
from tests.support.customer import Customer, new_customer
from tests.support.otlp import OtlpReceiver
from tests.support.watchdog import watching
from youju.state import State, read_state

# All tests are guests from one address, and more of them in a minute than a shop would let in.
_MANY_GUESTS: Final = {
    "YOUJU_BFF_SESSIONS_PER_MINUTE": "10000",
    "YOUJU_BFF_ASKS_PER_MINUTE": "10000",
    "YOUJU_BFF_ASKS_PER_MINUTE_AND_ADDRESS": "10000",
    "YOUJU_BFF_CALLS_PER_MINUTE": "10000",
}
# The second arm takes a sixth of a second a passage, and what it does is proved without a system around it.
_ONE_ARM: Final = {"YOUJU_KNOWLEDGE_SECOND_ARM": "off"}
_START_SECONDS: Final = 240
_WAIT_SECONDS: Final = 100
_POLL_SECONDS: Final = 0.05

Seen = TypeVar("Seen")


class System:
    """A running system: its addresses, its processes, its command."""

    def __init__(self, home: Path, environment: dict[str, str]) -> None:
        """Remember where it lives; `start` starts it."""
        self.home = home
        self.environment = environment
        self.bff = f"http://127.0.0.1:{environment['YOUJU_BFF_PORT']}"
        self.knowledge = f"http://127.0.0.1:{environment['YOUJU_KNOWLEDGE_PORT']}"
        self.ticketing = f"http://127.0.0.1:{environment['YOUJU_TICKETING_PORT']}"

    def command(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run the `youju` command against this system."""
        run = subprocess.run(
            [Path(sys.executable).parent / "youju", *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=_START_SECONDS,
        )
        if check and run.returncode != 0:
            pytest.fail(f"youju {' '.join(arguments)} ended with {run.returncode}:\n{run.stdout}\n{run.stderr}")
        return run

    @property
    def state(self) -> State:
        """Read what the supervisor says it runs."""
        state = read_state(self.home / "state.json")
        assert state is not None
        return state

    def pid(self, part: str) -> int:
        """Give the process id of a part; wait for one where the part is just being started again.

        A part without a process has 0 there, and a signal to 0 reaches everybody in the group of who sends it.
        """
        return self.wait(lambda: self._written_pid(part), f"{part} to have a process")

    def _written_pid(self, part: str) -> int:
        return next(each.pid for each in self.state.parts if each.name == part)

    def kill(self, part: str) -> None:
        """End a part without warning and wait until another process stands in its place and is ready."""
        before = self.pid(part)
        os.kill(before, signal.SIGKILL)
        self.wait(lambda: self._written_pid(part) not in {before, 0}, f"{part} to be started again")
        self.wait_ready()

    def freeze(self, part: str) -> None:
        """Stop a part's process so that it neither answers nor ends."""
        os.kill(self.pid(part), signal.SIGSTOP)

    def thaw(self, part: str) -> None:
        """Let a frozen part go on."""
        os.kill(self.pid(part), signal.SIGCONT)

    def wait_ready(self) -> None:
        """Wait until every HTTP service says it is ready."""
        for url in (self.bff, self.knowledge, self.ticketing):
            self.wait(lambda url=url: _is_ready(url), f"{url} to be ready")

    def wait(self, condition: Callable[[], Seen], what: str) -> Seen:
        """Wait for something the system does by itself, with a deadline; give what was seen."""
        deadline = time.monotonic() + _WAIT_SECONDS
        while not (seen := condition()):
            if time.monotonic() > deadline:
                pytest.fail(f"waited {_WAIT_SECONDS} s in vain for {what}\n{self.last_words()}")
            time.sleep(_POLL_SECONDS)
        return seen

    def log_events(self, part: str) -> list[dict[str, object]]:
        """Read the JSON log lines of a part."""
        lines = (self.home / "logs" / f"{part}.log").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    def last_words(self) -> str:
        """Give the last lines of every log, for a failing test."""
        logs = sorted((self.home / "logs").glob("*.log"))
        return "\n".join(f"--- {log.name}\n" + "\n".join(log.read_text().splitlines()[-5:]) for log in logs)


@pytest.fixture(scope="session")
def system(otlp: OtlpReceiver) -> Iterator[System]:
    """Give the running system with the examples published; one for all tests that leave it as they found it."""
    yield from _running(extra={"YOUJU_OTLP_ENDPOINT": otlp.url, **_MANY_GUESTS, **_ONE_ARM})


def _running(*, extra: dict[str, str]) -> Iterator[System]:
    home = Path(tempfile.mkdtemp(prefix="youju-home-"))
    running = System(home, {**os.environ, **_free_ports(), "YOUJU_HOME": str(home), **extra})
    with watching("system", home):
        try:
            running.command("up")
            yield running
        finally:
            running.command("down", check=False)


@pytest.fixture
async def customer(system: System) -> AsyncIterator[Customer]:
    """Give a guest of the tenant `demo`."""
    async with new_customer(system.bff) as guest:
        yield guest


def _free_ports() -> dict[str, str]:
    with ExitStack() as held:
        ports: dict[str, str] = {}
        for service in ("BFF", "KNOWLEDGE", "TICKETING"):
            probe = held.enter_context(socket.socket())
            probe.bind(("127.0.0.1", 0))
            ports[f"YOUJU_{service}_PORT"] = str(probe.getsockname()[1])
        return ports


def _is_ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health/ready", timeout=5, trust_env=False, verify=trust()).status_code == HTTPStatus.OK
    except httpx.TransportError:
        return False
