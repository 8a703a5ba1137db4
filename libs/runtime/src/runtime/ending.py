"""Ends tasks for certain, and time-outs with them, which are cancellations too.

Python 3.11's `wait_for`, which drivers await with, swallows a cancellation that comes as its wait is over; a task that
is cancelled once and then awaited may go on for ever, and the body of a time-out as long as it likes.
"""

import asyncio
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any, Final

# Longer than it takes to write down that something was abandoned, which another cancellation would cut short.
PATIENCE_SECONDS: Final = 5.0


async def end_all(tasks: Iterable[asyncio.Task[Any]], *, patience_seconds: float = PATIENCE_SECONDS) -> None:
    """Cancel tasks and return when all are over; who has not heard it in time is asked again."""
    running = set(tasks)
    while running:
        for task in running:
            task.cancel()
        _, running = await asyncio.wait(running, timeout=patience_seconds)


@contextmanager
def hear_cancellation() -> Generator[None]:
    """Raise at the end of a block the cancellation that was asked for inside of it and that a driver swallowed there."""
    task = asyncio.current_task()
    if task is None:
        yield
        return
    before = task.cancelling()
    yield
    if task.cancelling() > before:
        raise asyncio.CancelledError
