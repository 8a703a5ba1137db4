"""A service keeps idle connections longer than the clients of our other services use them."""

import pytest
import uvicorn
from fastapi import FastAPI

from runtime.application import serve
from runtime.http import IDLE_SECONDS

pytestmark = pytest.mark.unit


def test_a_client_leaves_an_idle_connection_long_before_its_service(monkeypatch: pytest.MonkeyPatch) -> None:
    started: dict[str, object] = {}

    def run(_app: FastAPI, **options: object) -> None:
        started.update(options)

    monkeypatch.setattr(uvicorn, "run", run)

    serve(FastAPI(), host="127.0.0.1", port=0)

    kept = started["timeout_keep_alive"]
    assert isinstance(kept, int)
    assert kept >= 3 * IDLE_SECONDS
