"""What a command tells people to do next is about the tenant they named."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from deploy.local.tests.scripted_knowledge import ScriptedKnowledge
from youju.commands import calibration, releases
from youju.main import app
from youju.tenants import DEMO, of_tenant

pytestmark = pytest.mark.unit

_CALIBRATED: dict[str, Any] = {  # JSON of any shape
    "version": 7, "calibratedFrom": 6, "words": 1.0, "meaning": 1.0, "refuseBelow": 1.0, "answerFrom": 1.5,
    "reliability": [], "answeredBefore": 0.5, "answeredAfter": 0.5, "wrongBefore": 0.1, "wrongAfter": 0.1,
    "needlessBefore": 0.1, "needlessAfter": 0.1,
}  # fmt: skip
_EMPTY: dict[str, Any] = {"items": [], "nextCursor": None}  # as above


def test_a_command_is_named_with_the_tenant_it_is_for() -> None:
    assert (of_tenant("shop"), of_tenant(DEMO)) == (" --tenant shop", "")


@pytest.mark.parametrize(
    ("tenant", "command"), [("shop", "youju publish 7 --tenant shop"), ("demo", "youju publish 7")]
)
def test_what_was_calibrated_is_put_in_force_for_its_tenant(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tenant: str, command: str
) -> None:
    file = tmp_path / "labelled.jsonl"
    file.write_text('{"question": "q", "answerable": true}\n', encoding="utf-8")
    monkeypatch.setattr(calibration, "staff", ScriptedKnowledge(calibrations=_CALIBRATED).client)

    said = CliRunner().invoke(app, ["calibrate", str(file), "--tenant", tenant]).output

    assert f"`{command}` puts it in force." in said


def test_who_has_nothing_to_publish_is_told_how_that_tenant_gets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(releases, "staff", ScriptedKnowledge(versions=_EMPTY).client)

    ended = CliRunner().invoke(app, ["publish", "--tenant", "shop"])

    assert "`youju import --tenant shop` makes one" in str(ended.exception)
