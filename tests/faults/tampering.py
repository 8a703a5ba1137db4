"""Tamper with a process from inside: it dies at a boundary, its messages go astray, its clock jumps.

Nothing of the product knows of this: functions are wrapped in a process that was forked for a test.
"""

import inspect
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Sized
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial, wraps
from importlib import import_module
from typing import Any, Final, Literal

Mishap = Literal["lost", "duplicate", "reordered", "delayed"]
MISHAPS: Final[tuple[Mishap, ...]] = ("lost", "duplicate", "reordered", "delayed")
# An hour and a day, as with a wrong time zone or a dead battery; seconds, as when a clock is set right.
_STEPS: Final = (0, 0, 3_600, -3_600, 86_400, -86_400, 40, -40)
_STEP_SECONDS: Final = 0.2
_LONGEST_DELAY_SECONDS: Final = 2.0
_STALL_SECONDS: Final = 4.0
_AnyCall = Callable[..., Any]  # whatever is wrapped


@dataclass(frozen=True, slots=True)
class Boundary:
    """A step of the delivery, `module:name` or `module:Class.name`, and on which side of it a process dies."""

    step: str
    side: Literal["before", "after"]

    @property
    def title(self) -> str:
        """Name it as the table does."""
        return f"SIGKILL {self.side} {self.step.partition(':')[2]}"


@dataclass(frozen=True, slots=True)
class Tampering:
    """What is wrong with a process: where it dies or stands still, what befalls its messages, whether its clock steps."""

    dies: Boundary | None = None
    stalls: str | None = None
    mishap: Mishap | None = None
    steps: bool = False
    seed: int = 0

    def apply(self) -> None:
        """Tamper with this process."""
        if self.dies is not None:
            wrap(self.dies.step, partial(_dying, side=self.dies.side))
        if self.stalls is not None:
            wrap(self.stalls, _stalling)
        if self.mishap is not None:
            wrap("runtime.queue:_send", partial(_astray, mishap=self.mishap, source=_source(self.seed)))
        if self.steps:
            _step_clocks(_source(self.seed))


def _source(seed: int) -> random.Random:
    return random.Random(f"{seed} {os.getpid()}")  # noqa: S311 - mishaps, no secret


def wrap(step: str, around: Callable[[_AnyCall], _AnyCall]) -> None:
    """Put something around a step, wherever it has been imported to."""
    module, _, name = step.partition(":")
    *owners, last = name.split(".")
    owner: Any = import_module(module)
    for each in owners:
        owner = getattr(owner, each)
    _replace(owner, last, around(getattr(owner, last)))


def _replace(owner: Any, name: str, new: object) -> None:  # a module or a class
    old = getattr(owner, name)
    setattr(owner, name, new)
    for module in list(sys.modules.values()):
        for alias, value in list(getattr(module, "__dict__", {}).items()):
            if value is old:
                setattr(module, alias, new)


def _dying(step: _AnyCall, *, side: str) -> _AnyCall:
    """Let the process die beside a step that has something to do."""

    def fits(result: object) -> bool:
        return side == "after" and not (isinstance(result, Sized) and len(result) == 0)

    @wraps(step)
    async def later(*args: object, **named: object) -> object:
        if side == "before":
            _die()
        result: object = await step(*args, **named)
        if fits(result):
            _die()
        return result

    @wraps(step)
    def at_once(*args: object, **named: object) -> object:
        if side == "before":
            _die()
        result: object = step(*args, **named)
        if fits(result):
            _die()
        return result

    return later if inspect.iscoroutinefunction(step) else at_once


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _stalling(step: _AnyCall) -> _AnyCall:
    @wraps(step)
    def later(*args: object, **named: object) -> object:
        time.sleep(_STALL_SECONDS)
        return step(*args, **named)

    return later


def _astray(send: _AnyCall, *, mishap: Mishap, source: random.Random) -> _AnyCall:
    """Let about half of what is sent be lost, come twice, come late, or come after what was sent later."""
    held: list[Callable[[], object]] = []

    def sent(*args: object, **named: object) -> None:
        go = partial(send, *args, **named)
        if source.random() < 0.5:
            go()
            return
        match mishap:
            case "lost":
                return
            case "duplicate":
                go()
                go()
            case "delayed":
                threading.Timer(source.uniform(0, _LONGEST_DELAY_SECONDS), go).start()
            case "reordered":
                held.append(go)
                threading.Timer(_LONGEST_DELAY_SECONDS / 4, _let_go, (held,)).start()

    return sent


def _let_go(held: list[Callable[[], object]]) -> None:
    while held:
        held.pop()()


def _step_clocks(source: random.Random) -> None:
    """Let the wall clock of this process step; what only runs forward still does, as in a real machine."""
    phase = source.random()
    real, real_ns = time.time, time.time_ns

    def offset() -> int:
        return _STEPS[hash((phase, int(time.monotonic() / _STEP_SECONDS))) % len(_STEPS)]

    def utc_now() -> datetime:
        return now() + timedelta(seconds=offset())

    now = import_module("runtime.clock").utc_now
    _replace(import_module("runtime.clock"), "utc_now", utc_now)
    _replace(time, "time", lambda: real() + offset())
    _replace(time, "time_ns", lambda: real_ns() + offset() * 10**9)
