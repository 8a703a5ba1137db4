"""A reader hears every event once and in order, whatever the feed loses on the way."""

from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bff.attempts.events import closing_events, opening_events
from bff.attempts.failures import failed, failure_of
from bff.stream.following import follow
from bff.stream.numbered import NumberedEvent, numbered
from contracts.reasons import FailureCode
from contracts.stream import DeltaEvent
from services.bff.tests.attempts.making import ATTEMPT_ID, make_attempt

pytestmark = pytest.mark.unit

ATTEMPT = make_attempt()
DELTAS = tuple(DeltaEvent(kind="statement", text=str(n), citations=(), new_citations=()) for n in range(4))
END = closing_events(ATTEMPT, failed(failure_of(FailureCode.INTERNAL)))
WHOLE = numbered((*opening_events(ATTEMPT), *DELTAS, *END))


class ScriptedFeed:
    """Delivers its script, so many events together, where None is silence; the row closes after so many looks."""

    def __init__(self, script: list[NumberedEvent | None], *, closes_after: int, together: int = 1) -> None:
        self._script = list(script)
        self._together = together
        self._looks_left = closes_after

    @asynccontextmanager
    async def subscribe(self, attempt_id: UUID, *, after: int) -> AsyncGenerator["ScriptedFeed"]:
        assert attempt_id == ATTEMPT_ID
        self._script = [event for event in self._script if event is None or event.number > after]
        yield self

    @property
    def is_silent(self) -> bool:
        return not self._script

    async def next(self, *, timeout_seconds: float) -> tuple[NumberedEvent, ...]:
        assert timeout_seconds > 0
        together: list[NumberedEvent] = []
        while self._script and len(together) < self._together:
            event = self._script.pop(0)
            if event is None:
                break
            together.append(event)
        return tuple(together)

    async def closed_events(self, attempt_id: UUID) -> tuple[NumberedEvent, ...] | None:
        assert attempt_id == ATTEMPT_ID
        self._looks_left -= 1
        return WHOLE if self._looks_left < 0 else None


async def heard(feed: ScriptedFeed, *, after: int = 0, leaves: bool = False) -> list[NumberedEvent | None]:
    events = follow(
        ATTEMPT_ID, after=after, feed=feed, rows=feed, heartbeat_seconds=1, leaves=lambda _: leaves and feed.is_silent
    )
    async with aclosing(events):
        return [event async for together in events for event in together or (None,)]


@given(
    script=st.lists(st.sampled_from([*WHOLE, None]), max_size=20),
    closes_after=st.integers(0, 5),
    after=st.integers(0, len(WHOLE) - 1),
    together=st.integers(1, 4),
)
async def test_every_event_is_heard_once_and_in_order(
    script: list[NumberedEvent | None], closes_after: int, after: int, together: int
) -> None:
    feed = ScriptedFeed(script, closes_after=closes_after, together=together)
    events = [event for event in await heard(feed, after=after) if event]

    assert events == list(WHOLE[after:])


async def test_a_whole_feed_needs_no_look_at_the_row() -> None:
    assert await heard(ScriptedFeed(list(WHOLE), closes_after=1_000)) == list(WHOLE)


async def test_silence_is_a_heartbeat() -> None:
    script = [*WHOLE[:2], None, None, *WHOLE[2:]]

    assert await heard(ScriptedFeed(script, closes_after=1_000)) == script


async def test_a_reader_ahead_of_the_row_still_hears_the_end() -> None:
    assert await heard(ScriptedFeed([], closes_after=0), after=99) == [WHOLE[-1]]


async def test_a_process_that_leaves_says_what_it_has_heard_and_reads_no_row() -> None:
    feed = ScriptedFeed([WHOLE[0], WHOLE[1]], closes_after=0)

    assert await heard(feed, leaves=True) == [WHOLE[0], WHOLE[1]]
