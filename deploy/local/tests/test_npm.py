"""The page is built with a Node that is new enough, wherever it comes from."""

from pathlib import Path

import pytest

from youju.npm import node_on_path

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
    assert node_on_path(fake_node(tmp_path, version=version)) == tmp_path


@pytest.mark.parametrize("version", ["v18.20.0", "v20.18.9", "nonsense"])
def test_an_old_node_is_not_used(tmp_path: Path, version: str) -> None:
    assert node_on_path(fake_node(tmp_path, version=version)) is None


def test_a_node_without_npm_is_not_used(tmp_path: Path) -> None:
    assert node_on_path(fake_node(tmp_path, version="v24.0.0", npm=False)) is None
