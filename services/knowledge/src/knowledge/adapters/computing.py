"""A bounded pool of threads for pure work that would hold up the event loop."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from contracts.errors import UnavailableError

_Result = TypeVar("_Result")


class ComputePool:
    """Runs work with as many threads as cores and a bounded queue."""

    def __init__(self, *, queue: int) -> None:
        """Start with no threads; they come with the first work."""
        self._queue = queue
        self._waiting = 0
        self._threads = ThreadPoolExecutor(max_workers=os.cpu_count() or 1, thread_name_prefix="compute")

    async def __call__(self, work: Callable[[], _Result], /) -> _Result:
        """Give the result of the work. Errors: UnavailableError when too much waits already."""
        if self._waiting >= self._queue:
            raise UnavailableError("Too many questions are being answered; try again shortly.")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Let running work finish and take no more."""
        self._threads.shutdown(wait=True, cancel_futures=True)
