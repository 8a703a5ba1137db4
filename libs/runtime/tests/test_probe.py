import os
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from runtime.probe import is_ready

pytestmark = pytest.mark.unit


class _Health(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/health/ready" else 404)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        del format, args


@pytest.fixture
def address() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), _Health) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_process_with_a_port_is_ready_when_its_health_says_so(address: str) -> None:
    assert is_ready({"YOUJU_PROBE_URL": address})


def test_a_process_whose_port_does_not_answer_is_not_ready() -> None:
    assert not is_ready({"YOUJU_PROBE_URL": "http://127.0.0.1:1"})


def test_a_process_without_a_port_is_ready_while_its_file_exists(tmp_path: Path) -> None:
    ready_file = tmp_path / "ready"

    before = is_ready({"YOUJU_READY_FILE": str(ready_file)})
    ready_file.touch()

    assert (before, is_ready({"YOUJU_READY_FILE": str(ready_file)})) == (False, True)


def test_a_process_that_is_silent_for_a_minute_is_not_ready(tmp_path: Path) -> None:
    ready_file = tmp_path / "ready"
    ready_file.touch()
    given = {"YOUJU_READY_FILE": str(ready_file)}

    for ago in (59, 61, -61):
        then = time.time() - ago
        os.utime(ready_file, (then, then))
        assert is_ready(given) is (ago == 59)


def test_a_process_without_any_address_is_not_ready() -> None:
    assert not is_ready({})
