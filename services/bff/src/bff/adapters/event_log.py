"""Keep the events of running attempts in a Valkey stream: `n-0` is event n, and the server refuses a number twice.

Whoever ends an attempt from outside first freezes its log with a fence entry under the next number. The runner's next
event is refused then, and what follows the fence is numbered `n-1`.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Final, TypeAlias
from uuid import UUID

from redis.asyncio import Redis
from redis.exceptions import RedisError, ResponseError

from bff.stream.numbered import NumberedEvent, loaded_json
from contracts.errors import UnavailableError
from contracts.ids import printed
from contracts.stream import AttemptEvent
from runtime.logging import get_logger

KEPT_SECONDS: Final = 3600
_EVENT: Final = b"event"
_FENCE: Final = b"fence"
_FREEZE_TRIES: Final = 8
# Adds pairs of id and event until one is refused: what follows a refused one must not pass a fence.
_APPEND: Final = """
for at = 2, #ARGV, 2 do
  local added = redis.pcall('XADD', KEYS[1], ARGV[at], 'event', ARGV[at + 1])
  if type(added) == 'table' then return at / 2 - 1 end
end
if ARGV[1] ~= '0' then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return (#ARGV - 1) / 2
"""
# Nothing can be added after it.
_LAST_ID: Final = f"{2**64 - 1}-0"

Fields: TypeAlias = dict[bytes, bytes]
Entry: TypeAlias = tuple[bytes, Fields]

_log = get_logger("event_log")


def key_of(attempt_id: UUID) -> str:
    """Name the stream of an attempt."""
    return f"attempt:{printed('att', attempt_id)}"


def read_entry(entry: Entry) -> NumberedEvent | None:
    """Read an entry of the stream; None for a fence."""
    number = int(entry[0].partition(b"-")[0])
    event = entry[1].get(_EVENT)
    return None if event is None else NumberedEvent(number, loaded_json(event))


class ValkeyEventLog:
    """The event log of running attempts, kept for an hour."""

    def __init__(self, valkey: Redis) -> None:
        """Use a client that others may use too."""
        self._valkey = valkey

    async def append_all(self, events: Mapping[UUID, Sequence[NumberedEvent]]) -> tuple[int, ...]:
        """Add events of any number of attempts under their numbers, and say how many of each attempt's were added.

        What is added of an attempt has no gaps: the first refusal, by a frozen log or a lost server, is the end.
        """
        try:
            async with self._valkey.pipeline(transaction=False) as pipeline:
                for attempt_id, each in events.items():
                    pipeline.eval(_APPEND, 1, key_of(attempt_id), *_arguments(each))
                return tuple(map(_count, await pipeline.execute(raise_on_error=False)))
        except RedisError:
            _log.warning("event_log_lost", attempts=len(events))
            return (0,) * len(events)

    async def freeze(self, attempt_id: UUID) -> tuple[AttemptEvent, ...]:
        """Stop the runner from adding events and give those there are; nothing when the log is lost or unreadable."""
        try:
            for _ in range(_FREEZE_TRIES):
                entries: Any = await self._valkey.xrange(key_of(attempt_id))  # redis types replies loosely
                if await self._is_fenced(attempt_id, entries):
                    return _whole(entries)
        except (RedisError, ValueError):
            _log.warning("event_log_lost", attempt_id=printed("att", attempt_id))
        return ()

    async def publish(self, attempt_id: UUID, events: tuple[NumberedEvent, ...]) -> None:
        """Add events to a frozen log. What cannot be added, readers take from the row."""
        try:
            for event in events:
                await self._add(attempt_id, f"{event.number}-1", _fields(event))
        except RedisError:
            _log.warning("event_log_lost", attempt_id=printed("att", attempt_id))

    async def forget(self, attempt_ids: Sequence[UUID]) -> None:
        """Delete the logs of erased attempts, and let no runner of another process begin them anew.

        Errors: UnavailableError.
        """
        try:
            async with self._valkey.pipeline(transaction=True) as pipeline:
                for key in map(key_of, attempt_ids):
                    pipeline.delete(key)
                    pipeline.xadd(key, {_FENCE: b"1"}, id=_LAST_ID)
                    pipeline.expire(key, KEPT_SECONDS)
                await pipeline.execute()
        except RedisError as lost:
            raise UnavailableError from lost

    async def check(self) -> None:
        """Ask whether the log can be read at all. Errors: UnavailableError."""
        try:
            await self._valkey.ping()
        except RedisError as lost:
            raise UnavailableError from lost

    async def _is_fenced(self, attempt_id: UUID, entries: Sequence[Entry]) -> bool:
        last = read_entry(entries[-1]) if entries else None
        if entries and (last is None or last.closes):
            return True
        try:
            await self._add(attempt_id, f"{1 if last is None else last.number + 1}-0", {_FENCE: b"1"})
        except ResponseError:
            return False
        return True

    async def _add(self, attempt_id: UUID, entry_id: str, fields: Fields) -> None:
        key = key_of(attempt_id)
        async with self._valkey.pipeline(transaction=False) as pipeline:
            pipeline.xadd(key, {**fields}, id=entry_id)
            pipeline.expire(key, KEPT_SECONDS)
            await pipeline.execute()


def _arguments(events: Sequence[NumberedEvent]) -> list[str | bytes]:
    # Whoever ends an attempt adds to its log once more, so the first and the last keep none for ever.
    lasts = any(event.number == 1 or event.closes for event in events)
    pairs = ((f"{event.number}-0", _written(event)) for event in events)
    return [str(KEPT_SECONDS if lasts else 0), *chain.from_iterable(pairs)]


def _count(reply: Any) -> int:  # redis types no replies
    return reply if isinstance(reply, int) else 0


def _fields(event: NumberedEvent) -> Fields:
    return {_EVENT: _written(event)}


def _written(event: NumberedEvent) -> bytes:
    # The name stands in front of the rest, which is written already.
    rest = event.data[1:]
    return b'{"event":"%s"%s%s' % (event.event.event.encode(), b"" if rest == b"}" else b",", rest)


def _whole(entries: Sequence[Entry]) -> tuple[AttemptEvent, ...]:
    events = [event for event in map(read_entry, entries) if event is not None]
    is_whole = [event.number for event in events] == list(range(1, len(events) + 1))
    return tuple(event.event for event in events) if is_whole else ()
