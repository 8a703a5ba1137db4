"""Run relay, worker and pulse of both services as processes that a test can kill, replace and tamper with."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing.connection import wait
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Final, Protocol

from tests.faults.tampering import Tampering

ROLES: Final = ("bff.pulse", "bff.worker", "ticketing.pulse", "ticketing.worker")
_DEATH_SECONDS: Final = 120
# A process that is forked from one that has imported everything is at work in a fraction of a second.
_FORKING: Final = multiprocessing.get_context("forkserver")
_FORKING.set_forkserver_preload([*ROLES, "knowledge.worker", __name__])


class Tamper(Protocol):
    """What is wrong with a process."""

    def apply(self) -> None:
        """Tamper with this process."""
        ...


@dataclass(frozen=True, slots=True)
class Hand:
    """A process at work; a plain one is as the product starts it."""

    role: str
    process: ForkServerProcess
    is_plain: bool


@dataclass
class Crew:
    """The processes at work; `environment` is what each is told, `folder` where their logs go, `around` what all have in common."""

    environment: Mapping[str, str]
    folder: Path
    around: Tamper | None = None
    at_work: list[Hand] = field(default_factory=list[Hand])

    def start(self, role: str, *, tampering: Tamper | None = None, **environment: str) -> ForkServerProcess:
        """Start one more process in a role."""
        told = {**self.environment, **environment}
        log = self.folder / f"{role}.log"
        wrong = [each for each in (tampering, self.around) if each is not None]
        process = _FORKING.Process(target=_work, args=(role, told, log, wrong), daemon=True)
        process.start()
        self.at_work.append(Hand(role, process, is_plain=tampering is None and not environment))
        return process

    def be_complete(self) -> None:
        """Let exactly one plain process be at work in every role."""
        for role in ROLES:
            plain = [hand for hand in self._in(role) if hand.is_plain and hand.process.is_alive()]
            for hand in self._in(role):
                if hand not in plain[:1]:
                    self._end(hand)
            if not plain:
                self.start(role)

    def replace_all(self, tampering: Tampering) -> None:
        """Kill all processes and start one in every role that is tampered with."""
        self.end_all()
        for role in ROLES:
            self.start(role, tampering=tampering)

    def end(self, role: str) -> None:
        """Kill all processes of a role."""
        for hand in self._in(role):
            self._end(hand)

    def end_all(self) -> None:
        """Kill all processes."""
        for role in ROLES:
            self.end(role)

    def last_words(self) -> str:
        """Give the end of every log, for a failing test."""
        logs = [self.folder / f"{role}.log" for role in ROLES]
        return "\n".join(f"--- {log.name}\n{log.read_text()[-1500:]}" for log in logs if log.exists())

    def _in(self, role: str) -> list[Hand]:
        return [hand for hand in self.at_work if hand.role == role]

    def _end(self, hand: Hand) -> None:
        hand.process.kill()
        hand.process.join(_DEATH_SECONDS)
        self.at_work.remove(hand)


def await_death(process: ForkServerProcess) -> bool:
    """Wait until a process has killed itself; False when it has not."""
    process.join(_DEATH_SECONDS)
    return process.exitcode == -signal.SIGKILL


def _work(role: str, environment: Mapping[str, str], log: Path, wrong: Sequence[Tamper]) -> None:
    with log.open("ab") as output:
        for stream in (1, 2):
            os.dup2(output.fileno(), stream)
    threading.Thread(target=_follow_the_session, daemon=True).start()
    os.environ.update(environment)
    for each in wrong:
        each.apply()
    import_module(role).run()


def _follow_the_session() -> None:
    session = multiprocessing.parent_process()
    if session is not None:
        wait([session.sentinel])
        os.kill(os.getpid(), signal.SIGKILL)
