"""Says how the work of a question runs beside the other questions, and how several pieces of it run side by side."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Protocol, TypeVar

_Result = TypeVar("_Result")


class Compute(Protocol):
    """Runs pure work without holding up the other questions."""

    async def __call__(self, work: Callable[[], _Result], /) -> _Result:
        """Give the result of the work."""
        ...


async def all_or_none(
    pieces: Iterable[Coroutine[Any, Any, _Result]],
) -> list[_Result]:  # what a coroutine sends is unused
    """Run pieces side by side; the first that fails ends the others before its error is heard.

    Shapes: one result a piece, in their order.
    """
    running = [asyncio.ensure_future(piece) for piece in pieces]
    try:
        return await asyncio.gather(*running)
    finally:
        for each in running:
            each.cancel()
        await asyncio.gather(*running, return_exceptions=True)
