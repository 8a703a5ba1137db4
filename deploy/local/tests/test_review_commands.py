"""What a reviewer finds is kept by one command, under an id of its own where that is needed."""

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager

import httpx
import pytest
from typer.testing import CliRunner

from youju.commands import review
from youju.main import app

pytestmark = pytest.mark.unit


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """Give what the commands send to the service that keeps cases."""
    bodies: list[dict[str, object]] = []

    def keep(request: httpx.Request) -> httpx.Response:
        bodies.append(json.loads(request.content))
        if request.url.path.endswith("/verdicts"):
            return httpx.Response(200, json={"number": 3, "layer": "CORRECT", "note": None, "reviewer": "ann"})
        return httpx.Response(200, json={"caseId": bodies[-1]["caseId"] or "review-1", "isNew": True})

    @contextmanager
    def staff(_settings: Mapping[str, str], _tenant: str, **_more: object) -> Generator[httpx.Client]:
        yield httpx.Client(transport=httpx.MockTransport(keep), base_url="http://knowledge")

    monkeypatch.setattr(review, "staff", staff)
    return bodies


def test_a_case_is_made_again_under_an_id_of_its_own(sent: list[dict[str, object]]) -> None:
    said = CliRunner().invoke(app, ["review", "golden", "att_1", "--route", "answer", "--id", "kettles-2"])

    assert said.output == "  ✓ kettles-2 is kept.\n"
    assert [(each["caseId"], each["routes"]) for each in sent] == [("kettles-2", ["answer"])]


@pytest.mark.parametrize(("given", "seen"), [((), 0), (("--seen", "2"), 2)])
def test_a_verdict_says_which_one_was_read_before_it(
    sent: list[dict[str, object]], given: tuple[str, ...], seen: int
) -> None:
    said = CliRunner().invoke(app, ["review", "verdict", "att_1", "CORRECT", *given])

    assert said.output == "  ✓ Verdict 3: CORRECT.\n"
    assert sent == [{"layer": "CORRECT", "note": None, "seen": seen}]
