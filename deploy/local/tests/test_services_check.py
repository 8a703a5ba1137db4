"""`youju doctor` says which service does not answer, and what one that is not ready waits for."""

import json
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from youju.checks import services
from youju.checks.finding import Finding
from youju.checks.services import are_elsewhere, check_addresses, check_services
from youju.state import RunningPart, State

pytestmark = pytest.mark.unit


def _state(*, ready: bool = True, pid: int = 7) -> State:
    parts = tuple(RunningPart(name=name, pid=pid, mark="m", restarts=0) for name in ("bff", "bff-worker"))
    return State(supervisor=1, ready=ready, sockets=Path(), environment={}, parts=parts, gave_up=None)


@contextmanager
def _saying(states: dict[str, str]) -> Generator[int]:
    class Health(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if set(states.values()) == {"ok"} else 503)
            self.end_headers()
            self.wfile.write(json.dumps(states).encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
            del format, args

    with HTTPServer(("127.0.0.1", 0), Health) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("states", "found"),
    [
        ({"database": "ok"}, Finding("bff service", "ready")),
        (
            {"database": "unavailable", "keys": "ok"},
            Finding("bff service", "database is unavailable", "see `youju logs bff`"),
        ),
    ],
)
def test_a_service_says_what_it_waits_for(states: dict[str, str], found: Finding) -> None:
    with _saying(states) as port:
        assert list(check_services(_state(), {"YOUJU_BFF_PORT": str(port)})) == [found]


def test_a_service_that_runs_and_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "_PATIENCE_SECONDS", 0.05)
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        port = deaf.getsockname()[1]

        (found,) = check_services(_state(), {"YOUJU_BFF_PORT": str(port)})

    assert found.text.startswith(f"does not answer on port {port}")
    assert found.remedy == "see `youju logs bff`; after `kill -9 7` it is started again"


@pytest.mark.parametrize("state", [None, _state(ready=False), _state(pid=0)])
def test_what_does_not_run_is_not_asked(state: State | None) -> None:
    assert list(check_services(state, {})) == []


def test_services_that_are_elsewhere_are_asked_at_their_addresses() -> None:
    with _saying({"database": "ok"}) as port:
        settings = {f"YOUJU_{name}_URL": f"http://127.0.0.1:{port}" for name in ("KNOWLEDGE", "BFF")}
        assert not are_elsewhere(settings)

        nobody = settings | {"YOUJU_TICKETING_URL": "http://127.0.0.1:1"}
        knowledge, bff, ticketing = check_addresses(nobody)

    assert are_elsewhere(nobody)
    assert [knowledge, bff] == [Finding("knowledge service", "ready"), Finding("bff service", "ready")]
    assert ticketing.text == "does not answer at http://127.0.0.1:1 within 5 seconds"
    assert ticketing.remedy == "see `docker compose logs ticketing`"
