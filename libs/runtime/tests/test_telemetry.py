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
