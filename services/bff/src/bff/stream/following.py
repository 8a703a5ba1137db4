"""Follow an attempt for one reader: live from the feed, from the row when the feed falls short.

The row is the record and the feed is only fast, so whatever the feed loses (the closing event, everything after a
flush, its server) is made good from the row, at most one heartbeat later.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol
from uuid import UUID

from bff.stream.numbered import NumberedEvent, next_of, remaining


class Subscription(Protocol):
    """One reader's place in the live feed."""

    async def next(self, *, timeout_seconds: float) -> tuple[NumberedEvent, ...]:
        """Give what has come; nothing when nothing comes in time or the feed asks to look at the row."""
        ...


class Feed(Protocol):
    """The live events of running attempts."""

    def subscribe(self, attempt_id: UUID, *, after: int) -> AbstractAsyncContextManager[Subscription]:
        """Listen to an attempt from the event after a number on."""
        ...


class ClosedEvents(Protocol):
    """The events of closed attempts, as their rows keep them."""

    async def closed_events(self, attempt_id: UUID) -> tuple[NumberedEvent, ...] | None:
        """Give all events of an attempt, or None while it is PENDING. Errors: NotFoundError when it was erased."""
        ...


async def follow(  # noqa: PLR0913 - one reader, and everything it leans on
    attempt_id: UUID,
    *,
    after: int,
    feed: Feed,
    rows: ClosedEvents,
    heartbeat_seconds: float,
    leaves: Callable[[UUID], bool],
) -> AsyncGenerator[tuple[NumberedEvent, ...]]:
    """Give the events after a number until the closing one, those together that are there together.

    No events are a heartbeat.

    They come in order and without gaps: what the feed skips is left to the row. Ends without a closing event only
    where the process `leaves` the attempt to another, which its reader then attaches to.
    """
    position = after
    async with feed.subscribe(attempt_id, after=after) as subscription:
        while True:
            heard = await subscription.next(timeout_seconds=heartbeat_seconds)
            following = next_of(heard, after=position)
            if following:
                yield following
                position = following[-1].number
                if following[-1].closes:
                    return
            if heard and len(following) == len(heard):
                continue
            if leaves(attempt_id):
                return
            closed = await rows.closed_events(attempt_id)
            if closed is not None:
                yield remaining(closed, after=position)
                return
            yield ()
