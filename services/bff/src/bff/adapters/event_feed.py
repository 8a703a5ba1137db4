"""Read the event logs for all open streams of this process with one task and one blocking XREAD.

A wake stream of the process's own is read along with the attempts', so that a new subscription is heard at once.
"""

import asyncio
import contextlib
import secrets
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, TypeAlias
from uuid import UUID

from redis.asyncio import Redis
from redis.exceptions import RedisError

from bff.adapters.event_log import Entry, key_of, read_entry
from bff.stream.numbered import NumberedEvent
from contracts.errors import UnavailableError
from runtime.ending import end_all
from runtime.logging import get_logger

BLOCK_SECONDS: Final = 5
_RECONNECT_SECONDS: Final = 0.5
# One read names every open stream, so events that come close together are better read together.
_GATHERING_SECONDS: Final = 0.01
# Readers of attempts that run here are told. Only who ends an attempt from elsewhere writes what they must look for.
_LOOK_SECONDS: Final = 0.25
_WAKE_KEPT_SECONDS: Final = 60
# An attempt has a few dozen events; a reader that lags behind by more than this turns to the row.
_QUEUED_EVENTS: Final = 256

Position: TypeAlias = tuple[int, int]

_log = get_logger("event_feed")


class FeedSubscription:
    """One reader's place: what has arrived and was not read, and the last entry that arrived."""

    def __init__(self, *, after: int) -> None:
        """Start after an event."""
        self.position: Position = (after, 0)
        self._arrived: deque[NumberedEvent | None] = deque()
        self._has_arrived = asyncio.Event()

    @property
    def waiting(self) -> int:
        """How many events have arrived and were not read."""
        return len(self._arrived)

    async def next(self, *, timeout_seconds: float) -> tuple[NumberedEvent, ...]:
        """Give what has arrived; nothing when nothing comes in time or the log was frozen."""
        if not self._arrived:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(timeout_seconds):
                    await self._has_arrived.wait()
        return self._taken()

    def wake(self) -> None:
        """Let the reader look around now instead of at its next heartbeat; who has events to read is awake."""
        if not self._arrived:
            self._take_in(None)

    def follows(self, event: NumberedEvent) -> bool:
        """Say whether an event is the next after all that arrived."""
        return self.position == (event.number - 1, 0)

    def push(self, position: Position, event: NumberedEvent | None) -> None:
        """Take an entry in, unless it arrived before. A full queue loses it: the gap shows, and the row heals it."""
        if position > self.position:
            self.position = position
            if len(self._arrived) < _QUEUED_EVENTS:
                self._take_in(event)

    def _take_in(self, event: NumberedEvent | None) -> None:
        self._arrived.append(event)
        self._has_arrived.set()

    def _taken(self) -> tuple[NumberedEvent, ...]:
        taken: list[NumberedEvent] = []
        while self._arrived and (event := self._arrived[0]) is not None:
            taken.append(event)
            self._arrived.popleft()
        if self._arrived and not taken:
            self._arrived.popleft()
        if not self._arrived:
            self._has_arrived.clear()
        return tuple(taken)


class EventFeed:
    """The live events of running attempts, for any number of readers."""

    def __init__(self, valkey: Redis, *, limit: int) -> None:
        """Use a client of its own: its one connection blocks for seconds. Serve at most `limit` readers at once."""
        self._valkey = valkey
        self._limit = limit
        self._wake_key = f"wake:{secrets.token_hex(8)}"
        self._wake_position = "0-0"
        self._open: dict[str, set[FeedSubscription]] = {}
        self._told: dict[str, Position] = {}
        self._looks_at = 0.0
        self._task: asyncio.Task[None] | None = None

    def check_room(self) -> None:
        """Refuse a reader past the limit. Errors: UnavailableError."""
        if sum(map(len, self._open.values())) >= self._limit:
            raise UnavailableError

    def wake_readers(self) -> None:
        """Let all readers of this process look whether they still belong here."""
        for readers in self._open.values():
            for reader in readers:
                reader.wake()

    async def start(self) -> None:
        """Start the one reading task."""
        self._task = asyncio.create_task(self._read_for_ever(), name="event feed")

    async def stop(self) -> None:
        """Stop the reading task."""
        if self._task is not None:
            await end_all([self._task])

    @asynccontextmanager
    async def subscribe(self, attempt_id: UUID, *, after: int) -> AsyncGenerator[FeedSubscription]:
        """Listen to an attempt from the event after a number on."""
        key = key_of(attempt_id)
        subscription = FeedSubscription(after=after)
        self._open.setdefault(key, set()).add(subscription)
        try:
            await self._wake()
            yield subscription
        finally:
            self._open[key].discard(subscription)
            if not self._open[key]:
                del self._open[key]
                self._told.pop(key, None)

    def tell(self, attempt_id: UUID, events: Sequence[NumberedEvent]) -> None:
        """Give events that were just logged to the readers of this process; who lacks earlier ones reads the log."""
        readers = self._open.get(key_of(attempt_id))
        if not readers or not events:
            return
        self._told[key_of(attempt_id)] = (events[-1].number, 0)
        for subscription in readers:
            for event in events:
                if subscription.follows(event):
                    subscription.push((event.number, 0), event)

    async def _wake(self) -> None:
        try:
            async with self._valkey.pipeline(transaction=False) as pipeline:
                pipeline.xadd(self._wake_key, {"wake": "1"}, maxlen=1)
                pipeline.expire(self._wake_key, _WAKE_KEPT_SECONDS)
                await pipeline.execute()
        except RedisError:
            _log.warning("feed_lost")

    async def _read_for_ever(self) -> None:
        while True:
            try:
                await self._read_once()
                await asyncio.sleep(_GATHERING_SECONDS)
            except RedisError:
                _log.warning("feed_lost")
                await asyncio.sleep(_RECONNECT_SECONDS)

    async def _read_once(self) -> None:
        lacking, has_told = self._positions()
        wanted: Any = {self._wake_key: self._wake_position, **lacking}  # redis invariantly wants its own types
        seconds = _LOOK_SECONDS if has_told else BLOCK_SECONDS
        found: Any = await self._valkey.xread(wanted, block=int(seconds * 1000))  # redis types no stream replies
        for key, entries in _pairs(found):
            if key == self._wake_key:
                self._wake_position = entries[-1][0].decode()
            else:
                self._deliver(key, entries)

    def _positions(self) -> tuple[dict[str, str], bool]:
        """Say from where to read which logs, and whether some can wait for the next look."""
        moment = asyncio.get_running_loop().time()
        slowest = {key: min(each.position for each in readers) for key, readers in self._open.items()}
        told = {key for key, position in self._told.items() if slowest[key] >= position}
        if told and moment >= self._looks_at:
            self._looks_at = moment + _LOOK_SECONDS
            told.clear()
        lacking = {key: f"{number}-{part}" for key, (number, part) in slowest.items() if key not in told}
        return lacking, bool(self._told)

    def _deliver(self, key: str, entries: list[Entry]) -> None:
        for entry in entries:
            number, _, part = entry[0].partition(b"-")
            position = (int(number), int(part))
            waiting = [each for each in self._open.get(key, ()) if position > each.position]
            event = _readable(entry) if waiting else None
            for subscription in waiting:
                subscription.push(position, event)


def _pairs(found: Any) -> list[tuple[str, list[Entry]]]:  # as above
    return [(key.decode(), entries) for key, entries in found]


def _readable(entry: Entry) -> NumberedEvent | None:
    # During an upgrade a newer process may say what this one cannot read: its readers turn to the row, and no other.
    try:
        return read_entry(entry)
    except ValueError:
        _log.warning("event_unreadable")
        return None
