"""What the documents say exists: links, commands, requirements."""

import re
from pathlib import Path
from typing import Final

import pytest
import typer.main

from youju.main import app

pytestmark = pytest.mark.unit

CHECKOUT: Final = Path(__file__).resolve().parents[2]
DOCUMENTS: Final = (CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").rglob("*.md")))
_LINK: Final = re.compile(r"\]\((?!https?:|#)([^)#]+)")


def _all_text() -> str:
    return "\n".join(file.read_text(encoding="utf-8") for file in DOCUMENTS)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda file: file.relative_to(CHECKOUT).as_posix())
def test_every_link_leads_somewhere(document: Path) -> None:
    links = _LINK.findall(document.read_text(encoding="utf-8"))

    assert [link for link in links if not (document.parent / link).exists()] == []


def test_every_make_target_named_exists() -> None:
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")

    named = set(re.findall(r"`?(?<![\w-])make ([a-z][a-z-]+)[`\s]", _code(_all_text())))

    assert named <= set(re.findall(r"(?m)^([a-z][a-z-]*):", makefile))
    assert {"up", "test", "check", "down", "clean", "logs", "help"} <= named


def test_every_youju_command_named_exists() -> None:
    named = set(re.findall(r"(?:^|[`/ ])youju ([a-z]+)", _code(_all_text()), flags=re.MULTILINE))

    assert named <= set(typer.main.get_command(app).commands)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownArgumentType]  # typer gives a click group
    assert {"ask", "import", "publish", "eval"} <= named


def test_every_requirement_has_its_reason() -> None:
    record = (CHECKOUT / "docs" / "decisions" / "0002-dependencies.md").read_text(encoding="utf-8")
    lines = [
        line
        for file in sorted((CHECKOUT / "requirements").glob("*.in"))
        for line in file.read_text(encoding="utf-8").splitlines()
        if re.match(r"[a-z]", line)
    ]
    names = {re.split(r"[^\w-]", line)[0] for line in lines}

    assert {name for name in names if not name.startswith("opentelemetry-") and name not in record} == set()


def test_decision_records_have_a_number_of_their_own_and_all_their_parts() -> None:
    records = sorted((CHECKOUT / "docs" / "decisions").glob("*.md"))

    assert len({file.name[:4] for file in records}) == len(records)
    for file in records:
        text = file.read_text(encoding="utf-8")
        assert re.findall(r"\*\*(Context|Decision|Cost|Rejected|Paths)\.\*\*", text) == [
            "Context",
            "Decision",
            "Cost",
            "Rejected",
            "Paths",
        ], file.name


def _code(text: str) -> str:
    """Keep what stands in code: between back-ticks and in fences."""
    return "\n".join(re.findall(r"```.*?```|`[^`\n]+`", text, flags=re.DOTALL))
