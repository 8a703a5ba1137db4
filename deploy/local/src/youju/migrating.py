"""Run the migrations of all services at once: each has a database of its own."""

import subprocess
import sys
from collections.abc import Mapping, Sequence

from youju.home import CHECKOUT
from youju.trouble import Trouble

_SHOWN_LINES = 12


def run_migrations(modules: Sequence[str], environment: Mapping[str, str]) -> None:
    """Bring every database to the newest revision.

    Errors: Trouble naming the first that fails, with its last lines.
    Repeat: a migrated database stays as it is.
    """
    running = [(module, _start(module, environment)) for module in modules]
    results = [(module, process.communicate()[0], process.returncode) for module, process in running]
    for module, output, status in results:
        if status != 0:
            lines = output.decode(errors="replace").splitlines()[-_SHOWN_LINES:]
            raise Trouble(f"The migrations of {module.partition('.')[0]} fail.", details=tuple(lines))


def _start(module: str, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", module],
        cwd=CHECKOUT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
