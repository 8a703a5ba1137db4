"""Choose the account that Postgres runs under: it refuses to run as root."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from youju.trouble import Trouble

# Accounts that exist on every system and may do nothing; the first is there when a Postgres package is installed.
_UNPRIVILEGED: Final = ("postgres", "nobody")


@dataclass(frozen=True)
class Account:
    """A user and group to start programs under; None means whoever runs this command."""

    uid: int | None
    gid: int | None

    def owns(self, path: Path) -> None:
        """Give a file or folder to the account."""
        if self.uid is not None and self.gid is not None:
            os.chown(path, self.uid, self.gid)

    def start(self, command: Sequence[str | Path], *, folder: Path, output: IO[bytes] | int) -> subprocess.Popen[bytes]:
        """Start a program in a session of its own, in a neutral locale, without a terminal."""
        return subprocess.Popen(
            command,
            cwd=folder,
            env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            user=self.uid,
            group=self.gid,
            extra_groups=None if self.uid is None else [],
        )

    def can_enter(self, folder: Path) -> bool:
        """Try, as the account, whether a folder can be reached: permissions anywhere above it decide."""
        shell = shutil.which("sh", path=os.defpath) or "sh"
        attempt = self.start([shell, "-c", 'cd "$1"', "sh", folder], folder=Path("/"), output=subprocess.DEVNULL)
        return attempt.wait() == 0


def server_account() -> Account:
    """Choose ourselves, or an unprivileged account when we are root.

    Errors: Trouble when root and the machine has no such account.
    """
    if os.geteuid() != 0:
        return Account(uid=None, gid=None)
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    for name in _UNPRIVILEGED:
        if name in known:
            return Account(uid=known[name].pw_uid, gid=known[name].pw_gid)
    raise Trouble(
        "Postgres refuses to run as root, and this machine has no account named postgres or nobody: "
        "create one (`useradd --system postgres`) or run the command as an ordinary user."
    )
