"""How a gated run ended is a status that scripts can use."""

from typing import Any

import pytest
from typer.testing import CliRunner

from deploy.local.tests.scripted_knowledge import ScriptedKnowledge
from youju.commands import gate
from youju.main import app

pytestmark = pytest.mark.unit

_MEASURED: dict[str, Any] = {  # JSON of any shape
    "runId": "run_1", "version": 4, "published": None, "state": "DONE", "missed": [], "total": 1, "done": 1,
    "reason": None, "fingerprint": "f",
    "summary": {
        "questions": 1, "measures": [], "curve": [], "comparison": None,
        "point": {"strength": None, "wrong": 0, "wrongOutOf": 0, "needless": 0, "needlessOutOf": 0},
    },
}  # fmt: skip


@pytest.mark.parametrize(("verdict", "status"), [("PASSED", 0), ("MISSED", 1), ("NOT_GATED", 3)])
def test_the_status_of_a_gated_run_tells_passed_missed_and_held_to_nothing_apart(
    monkeypatch: pytest.MonkeyPatch, verdict: str, status: int
) -> None:
    run = _MEASURED | {"verdict": verdict}
    standing = {"standing": verdict, "open": True, "sentences": ["So it stands."], "settings": []}
    knowledge = ScriptedKnowledge(evaluations=run, run_1=run, gate=standing)
    monkeypatch.setattr(gate, "staff", knowledge.client)

    gated = CliRunner().invoke(app, ["eval", "--gate", "--version", "4", "--tenant", "shop"])
    shown = CliRunner().invoke(app, ["eval", "--version", "4", "--tenant", "shop"])

    assert (gated.exit_code, shown.exit_code) == (status, 0)
    assert ("youju thresholds set --tenant shop" in gated.output) is (verdict == "NOT_GATED")
