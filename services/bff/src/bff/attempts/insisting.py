"""Ask the record again while it cannot be had: a pool that is used up, or a database that restarts, is back in seconds."""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import chain, repeat
from typing import Final, TypeVar

from contracts.errors import UnavailableError

_PAUSES: Final = (0.05, 0.1, 0.25, 0.5, 1.0)

AnswerT = TypeVar("AnswerT")


async def insist(call: Callable[[], Awaitable[AnswerT]]) -> AnswerT:
    """Call until there is an answer; ends otherwise only with its task. Repeat: for what may be done twice alone."""
    pauses = chain(_PAUSES, repeat(_PAUSES[-1]))
    while True:
        try:
            return await call()
        except UnavailableError:
            await asyncio.sleep(next(pauses))


async def once(call: Callable[[], Awaitable[AnswerT]]) -> AnswerT:
    """Call, and take what comes. Errors: as the call."""
    return await call()
