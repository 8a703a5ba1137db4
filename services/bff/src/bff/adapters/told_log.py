"""Log the attempts that run here behind the back of their runners, and tell their readers here.

All that is said while a write is under way goes with the next one, so many attempts cost one round trip, and events of
one attempt that come close together reach their readers together.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from redis.asyncio import Redis

from bff.adapters.event_feed import EventFeed
from bff.adapters.event_log import ValkeyEventLog
from bff.stream.numbered import NumberedEvent
from contracts.ids import printed
from runtime.logging import get_logger

# A runner that is so far ahead waits: it keeps no more in memory, and lets others have their turn.
_AHEAD_EVENTS: Final = 32

_log = get_logger("told_log")


@dataclass(frozen=True, slots=True)
class _Batch:
    """What an attempt has said since the last write."""

    events: list[NumberedEvent] = field(default_factory=list[NumberedEvent])
    written: asyncio.Event = field(default_factory=asyncio.Event)


class ToldLog(ValkeyEventLog):
    """The event log of attempts that run here: readers of this process hear at once what was logged."""

    def __init__(self, valkey: Redis, feed: EventFeed) -> None:
        """Log as every process does, and tell the feed."""
        super().__init__(valkey)
        self._feed = feed
        self._waiting: dict[UUID, _Batch] = {}
        self._whole: set[UUID] = set()
        self._writing: asyncio.Task[None] | None = None

    async def append(self, attempt_id: UUID, event: NumberedEvent) -> bool:
        """Add an event under its number; False once the log is known to be lost or frozen, never an error.

        An event may still be on its way when this returns, the closing one is not. None passes one that was refused.
        """
        if event.number == 1:
            self._whole.add(attempt_id)
        if attempt_id not in self._whole:
            return False
        batch = self._waiting.setdefault(attempt_id, _Batch())
        batch.events.append(event)
        if self._writing is None:
            self._writing = asyncio.create_task(self._write(), name="event log")
        if event.closes or len(batch.events) >= _AHEAD_EVENTS:
            await batch.written.wait()
        return attempt_id in self._whole

    def part_with(self, attempt_id: UUID) -> None:
        """Forget an attempt that runs here no more."""
        self._whole.discard(attempt_id)

    async def _write(self) -> None:
        try:
            while self._waiting:
                batches, self._waiting = self._waiting, {}
                await self._write_all(batches)
        finally:
            self._writing = None

    async def _write_all(self, batches: Mapping[UUID, _Batch]) -> None:
        counts = (0,) * len(batches)
        try:
            counts = await self.append_all({attempt_id: batch.events for attempt_id, batch in batches.items()})
        finally:
            for (attempt_id, batch), count in zip(batches.items(), counts, strict=True):
                self._tell(attempt_id, batch, count)

    def _tell(self, attempt_id: UUID, batch: _Batch, count: int) -> None:
        self._feed.tell(attempt_id, batch.events[:count])
        if count < len(batch.events):
            self._whole.discard(attempt_id)
            _log.info("event_log_frozen", attempt_id=printed("att", attempt_id), number=batch.events[count].number)
        batch.written.set()
