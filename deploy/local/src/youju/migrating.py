"""Run the migrations of all services at once: each has a database of its own."""

import hashlib
import importlib.util
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import psycopg

from youju.database_urls import for_psycopg
from youju.home import CHECKOUT
from youju.trouble import Trouble

_SHOWN_LINES: Final = 12
_CONNECT_SECONDS: Final = 3


def run_migrations(modules: Sequence[str], environment: Mapping[str, str], *, record: Path) -> None:
    """Bring every database to the newest revision.

    Errors: Trouble naming the first that fails, with its last lines.
    Repeat: a database that stands where the record says, by the same migrations, is not even asked; starting Alembic
    three times costs more than any other step of a start.
    """
    known = _read(record)
    pending = [
        module for module in modules if (state := _state(module, environment)) is None or state != known.get(module)
    ]
    running = [(module, _start(module, environment)) for module in pending]
    results = [(module, process.communicate()[0], process.returncode) for module, process in running]
    for module, output, status in results:
        if status != 0:
            lines = output.decode(errors="replace").splitlines()[-_SHOWN_LINES:]
            raise Trouble(f"The migrations of {module.partition('.')[0]} fail.", details=tuple(lines))
    record.write_text(json.dumps({module: _state(module, environment) for module in modules}))


def _start(module: str, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", module],
        cwd=CHECKOUT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def _state(module: str, environment: Mapping[str, str]) -> str | None:
    """Name the migrations as they lie here together with the revision the database is at; None when it has none."""
    found = importlib.util.find_spec(module)
    url = environment.get(f"YOUJU_{module.partition('.')[0].upper()}_OWNER_DATABASE_URL")
    if found is None or found.origin is None or url is None:
        return None
    digest = hashlib.sha256()
    for file in sorted(Path(found.origin).parent.glob("versions/*.py")):
        digest.update(file.name.encode() + file.read_bytes())
    try:
        with psycopg.connect(for_psycopg(url), connect_timeout=_CONNECT_SECONDS) as connection:
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except psycopg.Error:
        return None
    return f"{digest.hexdigest()} {row[0]}" if row is not None else None


def _read(record: Path) -> dict[str, str]:
    try:
        return json.loads(record.read_text())
    except (OSError, ValueError):
        return {}
