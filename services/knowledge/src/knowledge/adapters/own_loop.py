"""Run calls on an event loop of their own, so that threads may make them and each ends in time."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")


class OwnLoop:
    """An event loop in a thread of its own, started by the first call; any thread may call."""

    def __init__(self, name: str) -> None:
        """Start nothing yet, so that a process may fork before."""
        self._name = name
        self._starting = threading.Lock()
        self._running: tuple[asyncio.AbstractEventLoop, threading.Thread] | None = None

    def run(self, call: Coroutine[Any, Any, ResultT]) -> ResultT:  # what a coroutine is sent is nobody's business
        """Wait for a call. Errors: its own."""
        return asyncio.run_coroutine_threadsafe(call, self._loop()).result()

    def close(self) -> None:
        """End the loop when there is one. Repeat: harmless."""
        with self._starting:
            running, self._running = self._running, None
        if running is not None:
            loop, thread = running
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def _loop(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._running is None:
                loop = asyncio.new_event_loop()
                thread = threading.Thread(target=loop.run_forever, name=self._name, daemon=True)
                thread.start()
                self._running = loop, thread
            return self._running[0]
