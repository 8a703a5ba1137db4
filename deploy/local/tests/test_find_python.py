"""The search for a Python ends with one that serves, or with one sentence that says what is missing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from youju.home import CHECKOUT

pytestmark = pytest.mark.unit

_SCRIPT = CHECKOUT / "deploy" / "local" / "find-python"


def find(folder: Path, python: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run the search on a path that holds only the given folder."""
    shell = shutil.which("sh")
    assert shell is not None
    environment = {"PATH": str(folder)} | ({"PYTHON": python} if python is not None else {})
    return subprocess.run([shell, _SCRIPT], env=environment, capture_output=True, text=True, check=False)


def fake(folder: Path, name: str, *, version: str, has_venv: bool = True) -> None:
    """Put a program there that answers as a Python of that version would."""
    status = 0 if has_venv else 1
    script = f"#!/bin/sh\ncase $2 in *ensurepip*) exit {status} ;; *) echo {version} ;; esac\n"
    (folder / name).write_text(script)
    (folder / name).chmod(0o755)


def test_the_first_python_that_serves_is_taken(tmp_path: Path) -> None:
    fake(tmp_path, "python3", version="3.9")
    fake(tmp_path, "python3.13", version="3.13")

    found = find(tmp_path)

    assert (found.returncode, found.stdout) == (0, "python3.13\n")


def test_a_python_too_old_is_named_with_its_version(tmp_path: Path) -> None:
    fake(tmp_path, "python3", version="3.9")

    found = find(tmp_path)

    assert found.returncode == 1
    assert "needs Python 3.11 to 3.14; this machine has only python3=3.9" in found.stderr


def test_a_python_too_new_is_named_with_its_version(tmp_path: Path) -> None:
    fake(tmp_path, "python3", version="3.15")

    assert "this machine has only python3=3.15" in find(tmp_path).stderr


def test_a_machine_without_python_is_told_so(tmp_path: Path) -> None:
    found = find(tmp_path)

    assert found.returncode == 1
    assert "this machine has no Python" in found.stderr


def test_a_python_without_its_venv_module_names_the_package(tmp_path: Path) -> None:
    fake(tmp_path, "python3", version="3.11", has_venv=False)

    assert "apt-get install python3.11-venv" in find(tmp_path).stderr


def test_a_python_the_user_names_is_taken(tmp_path: Path) -> None:
    found = find(tmp_path, python=sys.executable)

    assert found.stdout == f"{sys.executable}{os.linesep}"


def test_every_sentence_is_one_line(tmp_path: Path) -> None:
    assert find(tmp_path).stderr.count("\n") == 1
