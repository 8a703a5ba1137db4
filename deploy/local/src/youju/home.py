"""Know where a local installation keeps what it has: data, keys, logs, lock and state."""

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from runtime.health import is_kept_ready, silence_of
from youju.trouble import Trouble

CHECKOUT: Final = Path(__file__).resolve().parents[4]
EXAMPLES: Final = CHECKOUT / "examples"

# The shortest limit of a socket's path among our systems (macOS), and the longest name we put below the folder.
_SOCKET_PATH_LIMIT: Final = 103
_LONGEST_SOCKET: Final = "/postgres/.s.PGSQL.5432"

# What an installation's folder holds, without the endings of files and of their drafts.
_OURS: Final = frozenset(
    ["evaluation", "keys", "lock", "logs", "migrated", "postgres", "ready", "state", "tenants", "valkey"]
)


@dataclass(frozen=True)
class Home:
    """The folder of one installation, `.youju` in the checkout unless YOUJU_HOME names another."""

    folder: Path

    @property
    def keys(self) -> Path:
        """Return the folder of the key sets."""
        return self.folder / "keys"

    @property
    def logs(self) -> Path:
        """Return the folder with one log file for each process."""
        return self.folder / "logs"

    @property
    def ready(self) -> Path:
        """Return the folder where processes without a port say that they are ready."""
        return self.folder / "ready"

    def silence_of(self, name: str) -> float | None:
        """Say for how many seconds a process without a port has not said that it works; None while it is well.

        One that has a port, or is still starting, writes no file.
        """
        file = self.ready / name
        return None if is_kept_ready(file) else silence_of(file)

    @property
    def lock(self) -> Path:
        """Return the file whose lock the supervisor holds."""
        return self.folder / "lock"

    @property
    def state(self) -> Path:
        """Return the file in which the supervisor says what runs."""
        return self.folder / "state.json"

    @property
    def migrated(self) -> Path:
        """Return the record of which migrations brought the databases where they are."""
        return self.folder / "migrated.json"

    @property
    def tenants(self) -> Path:
        """Return the tenants file."""
        return self.folder / "tenants.yaml"

    def prepare(self) -> None:
        """Create the folders. Root lets the account that Postgres runs under pass through the top, without listing it.

        Errors: Trouble when the folder belongs to somebody else, or is none.
        """
        try:
            for folder in (self.folder, self.logs, self.ready):
                folder.mkdir(parents=True, exist_ok=True)
            if os.geteuid() == 0:
                self.folder.chmod(0o711)
            self.keys.mkdir(mode=0o700, exist_ok=True)
        except PermissionError as refused:
            raise Trouble(
                f"{self.folder} belongs to somebody else: set YOUJU_HOME to a folder of your own, or change its owner."
            ) from refused
        except (FileExistsError, NotADirectoryError) as taken:
            raise Trouble(f"{self.folder} is no folder: set YOUJU_HOME to a folder of your own.") from taken


def find_home() -> Home:
    """Return the installation that this command is about."""
    named = os.environ.get("YOUJU_HOME")
    return Home(Path(named).expanduser().resolve() if named else CHECKOUT / ".youju")


def make_sockets_folder() -> Path:
    """Create a short folder for sockets that only we, and the account of Postgres, may pass through.

    Errors: Trouble when the system's temporary folder has a name too long for sockets.
    """
    folder = Path(tempfile.mkdtemp(prefix="youju-"))
    if len(os.fsencode(folder)) + len(_LONGEST_SOCKET) > _SOCKET_PATH_LIMIT:
        folder.rmdir()
        raise Trouble(
            f"The temporary folder {folder.parent} has a name too long for sockets: set TMPDIR to a short one."
        )
    folder.chmod(0o711)
    return folder


def remove_everything(home: Home) -> None:
    """Delete an installation's data, keys and logs, also where a link leads to them. Repeat: harmless.

    Errors: Trouble, with nothing deleted, when the folder holds anything else: YOUJU_HOME may name a folder that
    people keep their own things in.
    """
    names = sorted(each.name for each in home.folder.iterdir()) if home.folder.exists() else []
    foreign = [name for name in names if Path(name).stem not in _OURS]
    if foreign:
        raise Trouble(f"{home.folder} also holds {foreign[0]}, which is not Youju's: nothing is removed.")
    data = home.folder / "postgres"
    if data.is_symlink():
        shutil.rmtree(data.resolve(), ignore_errors=True)
    shutil.rmtree(home.folder, ignore_errors=True)
