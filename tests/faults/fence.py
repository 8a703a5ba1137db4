"""Keep time from passing while a try at a helpdesk is under way.

A worker measures a try by its own stopwatch, which no stride moves: were time to pass meanwhile, its lease would run out below
it, as on no real machine. Whoever tries holds a lock together with others, and a stride needs it alone. The lock of a process
that is killed goes with it, so that time does pass for what it left behind.
"""

import fcntl
import os
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Final

from tests.faults.tampering import wrap

_TRY: Final = "ticketing.tickets.creating:create_once"
_LOOK_SECONDS: Final = 0.01


@dataclass(frozen=True, slots=True)
class Fence:
    """What stands between tries and strides: a file that both lock."""

    file: Path

    def apply(self) -> None:
        """Let every try of this process hold the lock."""
        wrap(_TRY, self.inside)

    def inside(self, step: Callable[..., Any]) -> Callable[..., Any]:  # whatever is wrapped
        """Put the lock around a step, together with others; it waits while a stride is made."""

        @wraps(step)
        def held(*args: object, **named: object) -> object:
            with self._opened() as handle:
                fcntl.flock(handle, fcntl.LOCK_SH)
                return step(*args, **named)

        return held

    @contextmanager
    def alone(self, *, patience_seconds: float) -> Generator[bool]:
        """Keep tries out for the time of a block; False, and nobody is kept out, when there was one at every moment."""
        with self._opened() as handle:
            yield _is_locked(handle, time.monotonic() + patience_seconds)

    @contextmanager
    def _opened(self) -> Generator[int]:
        # Each lock has a descriptor of its own: threads of one process are held apart as well.
        handle = os.open(self.file, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            yield handle
        finally:
            os.close(handle)


def _is_locked(handle: int, until_seconds: float) -> bool:
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until_seconds:
                return False
            time.sleep(_LOOK_SECONDS)
        else:
            return True
