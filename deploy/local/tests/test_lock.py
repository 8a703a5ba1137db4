"""A lock that is stale, foreign or of another checkout is explained in one sentence."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from youju.home import CHECKOUT, Home
from youju.lock import running_supervisor, take_lock
from youju.trouble import Trouble

pytestmark = pytest.mark.store

_HOLD = (
    "import fcntl, sys; f = open(sys.argv[1], 'a'); fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); input()"
)
# The largest process id Linux gives is below this.
_NOBODY = 2**22 + 1

Hold = Callable[[object], int]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def hold(home: Home) -> Iterator[Hold]:
    """Give a function that lets another process hold the lock, with the given content in the file."""
    holders: list[subprocess.Popen[str]] = []

    def hold_with(content: object) -> int:
        command = [sys.executable, "-c", _HOLD, str(home.lock)]
        holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        holders.append(holder)
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        home.lock.write_text(json.dumps(content))
        return holder.pid

    yield hold_with
    for holder in holders:
        holder.communicate("\n")


def test_a_file_left_by_a_dead_process_is_taken_over(home: Home) -> None:
    home.lock.write_text(json.dumps({"pid": _NOBODY, "checkout": str(CHECKOUT)}))

    assert running_supervisor(home) is None
    with take_lock(home):
        assert str(_NOBODY) not in home.lock.read_text()


def test_a_lock_without_a_supervisor_behind_it_is_stale(home: Home, hold: Hold) -> None:
    hold({"pid": _NOBODY, "checkout": str(CHECKOUT)})

    with pytest.raises(Trouble, match="a process left over from an earlier run holds it"):
        take_lock(home)


def test_a_lock_of_another_checkout_names_it(home: Home, hold: Hold) -> None:
    hold({"pid": 1, "checkout": "elsewhere/youju"})

    with pytest.raises(Trouble, match=r"in use by the checkout elsewhere/youju \(process 1\)"):
        running_supervisor(home)


def test_a_lock_of_a_foreign_program_names_its_process(home: Home, hold: Hold) -> None:
    hold({"pid": 1, "checkout": str(CHECKOUT)})

    with pytest.raises(Trouble, match=r"a process that is not Youju's \(process 1\)"):
        take_lock(home)


def test_a_lock_file_with_nonsense_in_it_is_stale(home: Home, hold: Hold) -> None:
    hold(["nonsense"])

    with pytest.raises(Trouble, match="not by a running supervisor"):
        running_supervisor(home)
