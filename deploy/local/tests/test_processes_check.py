"""`youju doctor` and `youju status` tell a process that hangs from one that works."""

import os
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from youju.checks.machine import check_processes
from youju.commands import lifecycle
from youju.home import Home
from youju.main import app
from youju.state import RunningPart, State, write_state

pytestmark = pytest.mark.unit

_NAMES = ("bff", "bff-worker", "bff-pulse")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    made = Home(tmp_path)
    made.prepare()
    monkeypatch.setattr(lifecycle, "find_home", lambda: made)
    monkeypatch.setattr(lifecycle, "running_supervisor", _supervisor)
    for name in _NAMES[1:]:
        (made.ready / name).touch()
    return made


def _supervisor(home: Home) -> int:
    del home
    return 1


def _state() -> State:
    parts = tuple(RunningPart(name=name, pid=number, mark="m", restarts=0) for number, name in enumerate(_NAMES, 7))
    return State(supervisor=1, ready=True, sockets=Path(), environment={}, parts=parts, gave_up=None)


def _fall_silent(home: Home, name: str) -> None:
    long_ago = time.time() - 75
    os.utime(home.ready / name, (long_ago, long_ago))


def test_whoever_touches_its_file_works(home: Home) -> None:
    assert check_processes(_state(), home).is_well


def test_the_doctor_names_who_was_silent_for_a_minute_and_how_it_is_started_again(home: Home) -> None:
    _fall_silent(home, "bff-worker")
    _fall_silent(home, "bff-pulse")

    found = check_processes(_state(), home)

    assert found.text.startswith("bff-worker hangs: nothing was heard of it for 7")
    assert "; bff-pulse hangs" in found.text
    assert "`kill -9 8 9`" in found.remedy


def test_the_list_of_processes_marks_who_hangs(home: Home) -> None:
    write_state(home.state, _state())
    _fall_silent(home, "bff-pulse")

    said = CliRunner().invoke(app, ["status"]).output.splitlines()

    assert [line.split()[0] for line in said if "bff" in line][:3] == ["✓", "✓", "✗"]
    assert any("bff-pulse" in line and "hangs" in line for line in said)
