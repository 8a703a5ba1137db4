"""Tell the terminal that waits how the start goes: one JSON line for each thing that happens."""

import json
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import IO, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from youju.trouble import Trouble


class Event(BaseModel):
    """A step begins or is done, all is ready, or the start failed."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["begin", "done", "ready", "trouble"]
    text: str = ""
    seconds: float = 0.0
    details: tuple[str, ...] = ()


class Progress:
    """The supervisor's end of the pipe. A terminal that went away is no reason to stop."""

    def __init__(self, pipe: IO[str]) -> None:
        """Remember where to write."""
        self._pipe = pipe

    @contextmanager
    def step(self, text: str) -> Generator[None]:
        """Report the beginning, and at the end how long it took."""
        started = time.monotonic()
        self._say(Event(kind="begin", text=text))
        yield
        self._say(Event(kind="done", text=text, seconds=time.monotonic() - started))

    def ready(self) -> None:
        """Report that everything runs, and close."""
        self._say(Event(kind="ready"))
        self.close()

    def trouble(self, trouble: Trouble) -> None:
        """Report why there is no start, and close."""
        self._say(Event(kind="trouble", text=trouble.sentence, details=trouble.details))
        self.close()

    def close(self) -> None:
        """Let the reader see the end. Repeat: harmless."""
        try:
            self._pipe.close()
        except BrokenPipeError:
            return

    def _say(self, event: Event) -> None:
        if self._pipe.closed:
            return
        try:
            print(event.model_dump_json(), file=self._pipe, flush=True)
        except BrokenPipeError:
            return


def read_event(line: str) -> Event | None:
    """Read one line of the pipe; None when the writer was cut off in it."""
    try:
        return Event.model_validate(json.loads(line))
    except (ValueError, ValidationError):
        return None
