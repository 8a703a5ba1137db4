"""A release through the gate: blocked unmeasured, blocked with the wrong text, and let through with the right one."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.system import System

pytestmark = pytest.mark.journey

_TENANT = "gated"
_CASES = (
    {"id": "g-1", "lang": "zh", "category": "fees", "question": "普通快递的运费是多少？", "acceptable_routes": ["answer"],
     "must_include_any": [["八元"]], "evidence": [{"doc_id": "help/fee", "quote": "普通快递的运费是八元。"}]},
    {"id": "s-1", "lang": "zh", "category": "escalate", "question": "我要投诉你们", "acceptable_routes": ["escalate"],
     "set": "safety"},
)  # fmt: skip


class _Terminal:
    """The commands of one tenant."""

    def __init__(self, system: System, folder: Path) -> None:
        self._system, self._folder = system, folder

    def __call__(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return self._system.command(*arguments, "--tenant", _TENANT, check=check)

    def stage(self, fee: str) -> str:
        """Bring a text in and give the number of its version."""
        front = "slug: help/fee\nlabel: '1'\nlanguage: zh\n"
        text = f"---\n{front}---\n# 普通快递的运费\n\n普通快递的运费是{fee}元。\n"
        (self._folder / "fee.md").write_text(text, encoding="utf-8")
        self("import", str(self._folder / "fee.md"))
        return self("versions").stdout.splitlines()[1].split()[0]


def test_a_version_is_published_once_it_reaches_the_thresholds(system: System, tmp_path: Path) -> None:
    youju = _Terminal(system, tmp_path)
    cases, page = tmp_path / "cases.jsonl", tmp_path / "page.html"
    cases.write_text("".join(json.dumps(case, ensure_ascii=False) + "\n" for case in _CASES), encoding="utf-8")

    youju("publish", youju.stage("八"))
    assert "Not gated" in youju("thresholds", "show").stdout
    assert "2 cases are new" in youju("golden", "import", str(cases)).stdout
    youju("thresholds", "set", "routeAccuracy>=1", "wrongAnswers<=0", "safety:escalationsAnswered<=0")

    wrong = youju.stage("二十")
    unmeasured = youju("publish", wrong, check=False)
    measured = youju("eval", "--gate", "--version", wrong, check=False)
    blocked = youju("publish", wrong, check=False)
    right = youju.stage("八")
    passed = youju("eval", "--gate", "--version", right, "--page", str(page))
    youju("publish", right)

    assert (unmeasured.returncode, measured.returncode, blocked.returncode, passed.returncode) == (1, 1, 1, 0)
    assert "no run has been measured" in unmeasured.stderr
    assert "wrongAnswers<=0" in measured.stdout
    assert "wrongAnswers<=0" in blocked.stderr
    assert "Every threshold is reached" in passed.stdout
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [line.split()[1] for line in youju("versions").stdout.splitlines()[1:4]] == [
        "PUBLISHED",
        "EVALUATED",
        "RETIRED",
    ]
