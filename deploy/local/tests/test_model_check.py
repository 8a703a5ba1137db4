"""`youju doctor` says whether the model that tenants want can be asked."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from youju.checks.model import check_model
from youju.checks.prices import check_prices

pytestmark = pytest.mark.unit

STATUSES = {"/good/models": 200, "/locked/models": 401, "/broken/models": 503}
RESTING = b'# TYPE youju_knowledge_breaker_open gauge\nyouju_knowledge_breaker_open{model="primary"} 1.0\n'


class Endpoint(BaseHTTPRequestHandler):
    """Answers by the path, also for the metrics of knowledge."""

    resting = False

    def do_GET(self) -> None:
        self.send_response(STATUSES.get(self.path, 200))
        self.end_headers()
        if self.path == "/metrics" and self.resting:
            self.wfile.write(RESTING)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the standard library
        del format, args


@pytest.fixture
def port() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()
    Endpoint.resting = False


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: int) -> dict[str, str]:
    tenants = tmp_path / "tenants.yaml"
    tenants.write_text("tenants: {demo: {name: Demo, writer: openai}}", encoding="utf-8")
    made = {
        "YOUJU_REDIS_URL": "redis://h", "YOUJU_KEYS_DIRECTORY": "k", "YOUJU_TENANTS_FILE": str(tenants),
        "YOUJU_KNOWLEDGE_DATABASE_URL": "postgresql://h", "YOUJU_KNOWLEDGE_PORT": str(port),
    }  # fmt: skip
    for name, value in made.items():
        monkeypatch.setenv(name, value)
    return made


def name_model(monkeypatch: pytest.MonkeyPatch, base_url: str) -> None:
    monkeypatch.setenv("YOUJU_KNOWLEDGE_MODEL_BASE_URL", base_url)
    monkeypatch.setenv("YOUJU_KNOWLEDGE_MODEL_NAME", "made-up")


def test_a_tenant_that_wants_a_model_where_none_is_named_is_a_fault(settings: dict[str, str]) -> None:
    found = check_model(settings)

    assert "demo wants one" in found.text
    assert not found.is_well


def test_no_model_is_well_where_nobody_wants_one(settings: dict[str, str]) -> None:
    Path(settings["YOUJU_TENANTS_FILE"]).write_text("tenants: {demo: {name: Demo}}", encoding="utf-8")

    assert check_model(settings).is_well


@pytest.mark.parametrize(
    ("path", "is_well", "text"),
    [
        ("good", True, "made-up at"),
        ("locked", False, "refuses the key"),
        ("broken", False, "answers 503"),
    ],
)
def test_the_endpoint_is_asked(
    settings: dict[str, str], monkeypatch: pytest.MonkeyPatch, port: int, path: str, text: str, *, is_well: bool
) -> None:
    name_model(monkeypatch, f"http://127.0.0.1:{port}/{path}")

    found = check_model(settings)

    assert text in found.text
    assert found.is_well == is_well


def test_an_endpoint_that_does_not_answer_is_a_fault(settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    name_model(monkeypatch, "http://127.0.0.1:1/v1")

    assert "does not answer" in check_model(settings).text


def test_an_open_breaker_is_told(settings: dict[str, str], monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    Endpoint.resting = True
    name_model(monkeypatch, f"http://127.0.0.1:{port}/good")

    assert "primary left alone" in check_model(settings).text


@pytest.mark.parametrize(
    ("tenant", "prices", "told"),
    [
        pytest.param("writer: openai", "{}", [], id="no budget"),
        pytest.param("writer: openai, writer_daily_budget: 5", "{}", ["demo", "made-up"], id="no price"),
        pytest.param("writer: openai, writer_daily_budget: 5", "made-up", ["every model"], id="priced"),
        pytest.param("writer_daily_budget: 5, second_opinion: true", "made-up", ["demo", "judge"], id="second opinion"),
        pytest.param("writer_daily_budget: 5", "{}", [], id="nothing is asked"),
    ],
)
def test_a_budget_that_cannot_be_counted_is_told(
    settings: dict[str, str], monkeypatch: pytest.MonkeyPatch, tenant: str, prices: str, told: list[str]
) -> None:
    Path(settings["YOUJU_TENANTS_FILE"]).write_text(f"tenants: {{demo: {{name: Demo, {tenant}}}}}", encoding="utf-8")
    name_model(monkeypatch, "http://127.0.0.1:1/v1")
    monkeypatch.setenv("YOUJU_KNOWLEDGE_CHECKER_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("YOUJU_KNOWLEDGE_CHECKER_MODEL", "judge")
    if prices != "{}":
        monkeypatch.setenv("YOUJU_KNOWLEDGE_MODEL_PRICES", f'{{"{prices}": {{"input": 1, "output": 2}}}}')

    found = list(check_prices(settings))

    assert len(found) == bool(told)
    assert all(each in found[0].text for each in told)
    assert all(each.is_well is told[0].startswith("every") for each in found)
