"""Start the supervisor in the background and follow it until everything is ready."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from youju.home import CHECKOUT, Home
from youju.lock import SUPERVISOR_MODULE
from youju.logs import last_lines
from youju.progress import Event, read_event
from youju.trouble import Trouble


def start_supervisor(home: Home, show: Callable[[Event], None]) -> None:
    """Start the supervisor and return when all is ready; `show` sees every event on the way.

    Errors: Trouble when the start fails; everything is stopped again by then.
    """
    log = home.logs / "supervisor.log"
    reading, writing = os.pipe()
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", SUPERVISOR_MODULE, str(writing)],
            cwd=CHECKOUT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            pass_fds=(writing,),
            start_new_session=True,
        )
    os.close(writing)
    try:
        _follow(reading, log, show)
    except KeyboardInterrupt:
        process.send_signal(signal.SIGTERM)
        process.wait()
        raise Trouble("Stopped before everything was ready.") from None
    except Trouble:
        process.wait()
        raise


def _follow(pipe: int, log: Path, show: Callable[[Event], None]) -> None:
    with os.fdopen(pipe) as lines:
        for line in lines:
            event = read_event(line)
            if event is None:
                continue
            if event.kind == "trouble":
                raise Trouble(event.text, details=event.details)
            show(event)
            if event.kind == "ready":
                return
    raise Trouble("The supervisor ended before everything was ready; its last lines follow.", details=last_lines(log))
