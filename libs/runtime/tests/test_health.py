"""A process without a port says again and again that it works, and one that was stopped does not."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from runtime.health import is_kept_ready, keep_ready, mark_ready, mark_stopped, silence_of

pytestmark = pytest.mark.unit

_PULSE: Final = "import asyncio, runtime.pulse; asyncio.run(runtime.pulse.run_pulse((), listen_url=''))"
_WORKER: Final = (
    "from runtime.queue import make_celery, run_worker;"
    " run_worker(make_celery('health-test', redis_url='memory://'), concurrency=1)"
)
_DEADLINE_SECONDS: Final = 60
_SILENT_SECONDS: Final = 8.0


@pytest.fixture(params=[_PULSE, _WORKER], ids=["pulse", "worker"])
def process(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    environment = {**os.environ, "YOUJU_READY_FILE": str(tmp_path / "ready")}
    with subprocess.Popen([sys.executable, "-c", request.param], env=environment, cwd=tmp_path) as started:
        yield started
        started.kill()


def _waits_for(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + _DEADLINE_SECONDS
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


def test_a_process_that_was_stopped_is_silent(process: subprocess.Popen[bytes], tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    assert _waits_for(ready.exists)
    began = ready.stat().st_mtime

    assert _waits_for(lambda: ready.stat().st_mtime > began)
    process.send_signal(signal.SIGSTOP)

    assert is_kept_ready(ready, silent_seconds=_SILENT_SECONDS)
    assert _waits_for(lambda: not is_kept_ready(ready, silent_seconds=_SILENT_SECONDS))
    process.send_signal(signal.SIGCONT)
    assert _waits_for(lambda: is_kept_ready(ready, silent_seconds=_SILENT_SECONDS))


def test_what_was_taken_back_is_not_said_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ready = tmp_path / "ready"
    monkeypatch.setenv("YOUJU_READY_FILE", str(ready))
    mark_ready()
    mark_stopped()

    keep_ready()

    assert not ready.exists()
    assert silence_of(ready) is None
