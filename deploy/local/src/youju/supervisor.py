"""Start everything, keep it alive, stop everything: one process for one installation."""

import errno
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Final

from youju.child import Child, Watched
from youju.environment import base_environment
from youju.home import Home, find_home, make_sockets_folder
from youju.keeper import Keeper
from youju.keys import make_missing_keys
from youju.leftovers import end_leftovers, remove_sockets
from youju.lock import take_lock
from youju.logs import last_lines, trim_logs
from youju.migrating import run_migrations
from youju.preflight import check_ports, check_room
from youju.processes import wait_until
from youju.progress import Progress
from youju.servers import bring_up_servers
from youju.state import RunningPart, State, read_state, write_state
from youju.table import SYSTEM, System
from youju.tenants import make_tenants_file
from youju.trouble import Trouble

_TURN_SECONDS: Final = 0.1
_READY_SECONDS: Final = 120
# A service gives open requests 25 seconds; a little more for its own end.
_STOP_SECONDS: Final = 30


class Supervisor:
    """The life of one installation. Signals only set a flag, so that nothing is left half started."""

    def __init__(self, home: Home, given: Mapping[str, str], progress: Progress, system: System = SYSTEM) -> None:
        """Remember what to run and whom to tell."""
        self._home = home
        self._given = dict(given)
        self._progress = progress
        self._system = system
        self._sockets = Path()
        self._environment: dict[str, str] = {}
        self._keepers: list[Keeper] = []
        self._written: State | None = None
        self._ready = False
        self._stop_asked = False

    def run(self) -> None:
        """Start, watch until told to stop, and stop in good order whatever happens.

        Errors: Trouble when the start fails or a part keeps dying.
        """
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        gave_up: str | None = None
        try:
            self._start()
            self._watch()
        except Trouble as trouble:
            gave_up = "\n".join((trouble.sentence, *trouble.details))
            raise
        finally:
            self._stop(gave_up)

    def _start(self) -> None:
        self._clear_away()
        check_room(self._home.folder)
        self._environment = base_environment(self._home, self._given)
        check_ports(self._environment)
        trim_logs(self._home.logs)
        make_missing_keys(self._home.keys)
        make_tenants_file(self._home.tenants)
        self._sockets = make_sockets_folder()
        self._environment |= bring_up_servers(
            self._home, self._sockets, self._given, step=self._progress.step, start=self._keep
        )
        with self._progress.step("Migrations"):
            run_migrations(self._system.migrations, self._environment, record=self._home.migrated)
        with self._progress.step("Services, workers and clocks"):
            self._start_parts()
        self._ready = not self._stop_asked
        self._write()
        self._progress.ready()

    def _clear_away(self) -> None:
        left = read_state(self._home.state)
        if left is not None and any(part.pid for part in left.parts):
            with self._progress.step("Ending what an earlier run left behind"):
                end_leftovers(left)

    def _keep(self, watched: Watched) -> None:
        keeper = Keeper(watched)
        self._keepers.append(keeper)
        keeper.start()
        self._write()

    def _start_parts(self) -> None:
        for part in self._system.parts:
            self._keep(Child(part, self._home, self._environment))
        deadline = time.monotonic() + _READY_SECONDS
        waiting = list(self._keepers)
        while waiting and not self._stop_asked:
            self._turn()
            waiting = [keeper for keeper in waiting if not keeper.is_ready()]
            if waiting and time.monotonic() > deadline:
                late = waiting[0].watched
                raise Trouble(
                    f"{late.name} is not ready after {_READY_SECONDS} seconds; the last lines of its log follow.",
                    details=last_lines(late.log),
                )

    def _watch(self) -> None:
        while not self._stop_asked:
            self._turn()

    def _turn(self) -> None:
        for keeper in self._keepers:
            keeper.tend()
        self._write()
        time.sleep(_TURN_SECONDS)

    def _write(self, gave_up: str | None = None) -> None:
        state = State(
            supervisor=os.getpid(),
            ready=self._ready,
            sockets=self._sockets,
            environment={name: self._environment[name] for name in self._own_settings()},
            parts=tuple(_as_part(keeper) for keeper in self._keepers),
            gave_up=gave_up,
        )
        if state != self._written:
            write_state(self._home.state, state)
            self._written = state

    def _own_settings(self) -> list[str]:
        """Name the settings that other commands need; what the user set beyond ours stays off the disk."""
        ours = base_environment(self._home, {})
        return [name for name in self._environment if name in ours or name not in self._given]

    def _stop(self, gave_up: str | None) -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        watched = [keeper.watched for keeper in self._keepers]
        stop_all([each for each in watched if isinstance(each, Child)])
        stop_all([each for each in watched if not isinstance(each, Child)])
        remove_sockets(self._sockets)
        self._ready = False
        self._keepers = []
        self._write(gave_up)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._stop_asked = True


def stop_all(watched: Sequence[Watched], *, patience_seconds: float = _STOP_SECONDS) -> None:
    """Ask all to stop, wait for all, then end those that did not."""
    for each in watched:
        each.ask_to_stop()
    wait_until(lambda: not any(each.is_running() for each in watched), seconds=patience_seconds)
    for each in watched:
        each.kill()


def _as_part(keeper: Keeper) -> RunningPart:
    watched = keeper.watched
    return RunningPart(name=watched.name, pid=watched.pid, mark=watched.mark, restarts=keeper.record.restarts)


def supervise(home: Home, given: Mapping[str, str], progress: Progress, system: System = SYSTEM) -> int:
    """Run an installation under its lock and return the exit status."""
    try:
        with take_lock(home):
            Supervisor(home, given, progress, system).run()
    except Trouble as trouble:
        print(trouble.sentence, *trouble.details, sep="\n", flush=True)
        progress.trouble(trouble)
        return 1
    except OSError as failed:
        if failed.errno != errno.ENOSPC:
            raise
        progress.trouble(
            Trouble(f"The disk is full: nothing more can be written in {home.folder}; make room and try again.")
        )
        return 1
    finally:
        progress.close()
    return 0


def main() -> None:
    """Supervise the installation of this checkout; the one argument is the pipe to report on."""
    with os.fdopen(int(sys.argv[1]), "w") as pipe:
        raise SystemExit(supervise(find_home(), os.environ, Progress(pipe)))


if __name__ == "__main__":
    main()
