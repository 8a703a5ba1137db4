"""Ends tasks for certain.

Python 3.11's `wait_for`, which psycopg awaits with, swallows a cancellation that comes as its wait is over; a task that
is cancelled once and then awaited may go on for ever.
"""

import asyncio
from collections.abc import Iterable
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
