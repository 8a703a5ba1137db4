import subprocess
import sys

import pytest

_SCRIPT = """
from runtime.telemetry import attempt_span, configure_telemetry, current_trace_id, current_traceparent
configure_telemetry(service="demo", otlp_endpoint={endpoint!r})
with attempt_span("outer", tenant="t", attempt_id="att_1") as outer:
    with attempt_span("inner", tenant="t", attempt_id="att_1") as inner:
        print(inner.is_recording(), current_trace_id(), current_traceparent().split("-")[1])
"""


@pytest.mark.parametrize(("endpoint", "recording"), [(None, "False"), ("http://127.0.0.1:9", "True")])
def test_trace_ids_are_made_whether_or_not_spans_are_recorded(endpoint: str | None, recording: str) -> None:
    # Telemetry is set once a process, so each case has a process of its own; it ends before anything is exported.
    script = _SCRIPT.format(endpoint=endpoint) + "import os, sys; sys.stdout.flush(); os._exit(0)"

    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    is_recording, trace_id, passed_on = run.stdout.split()
    assert is_recording == recording
    assert trace_id == passed_on != "0" * 32


_CALLS = """
import asyncio, threading
from http.server import BaseHTTPRequestHandler, HTTPServer
import httpx
from runtime.http import make_client
from runtime.telemetry import attempt_span, configure_telemetry

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        print(self.path, *sorted({"traceparent", "baggage"} & {name.lower() for name in self.headers}))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *said):
        pass

async def call(server):
    url = f"http://127.0.0.1:{server.server_port}"
    with attempt_span("outer", tenant="t", attempt_id="att_1"):
        async with make_client(url, timeout_seconds=60) as ours, httpx.AsyncClient(base_url=url, trust_env=False) as other:
            await ours.get("/ours")
            await other.get("/other")

configure_telemetry(service="demo", otlp_endpoint=None)
with HTTPServer(("127.0.0.1", 0), Handler) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    asyncio.run(call(server))
    server.shutdown()
"""


def test_the_trace_goes_along_to_our_own_services_and_to_nobody_else() -> None:
    run = subprocess.run([sys.executable, "-c", _CALLS], capture_output=True, text=True, check=True)

    assert run.stdout.splitlines() == ["/ours baggage traceparent", "/other"]
