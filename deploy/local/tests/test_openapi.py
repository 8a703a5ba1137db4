"""The committed API descriptions are what the code serves."""

from pathlib import Path

import pytest

from youju.openapi import FOLDER, describe_all, report_differences

pytestmark = pytest.mark.unit


def test_the_committed_descriptions_are_what_is_served() -> None:
    assert report_differences(describe_all(), FOLDER) == 0


def test_a_description_that_differs_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.yaml").write_text("paths: {}\n")

    status = report_differences({"a.yaml": "paths: {/v1: {}}\n"}, tmp_path)

    assert status == 1
    assert "openapi/a.yaml differs from what is served; run `make openapi`" in capsys.readouterr().err
