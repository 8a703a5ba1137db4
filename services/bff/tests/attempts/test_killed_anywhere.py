"""A process is killed before or after any of its steps: whoever takes over ends the attempt once, for every reader.

The log and the row of this test do what Valkey and Postgres do for us; a kill is raised where a step would begin, or
right after it had its effect.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Final
from uuid import UUID

import pytest

from bff.attempts.attempt import Assignment, Attempt, Completed, Failed
from bff.attempts.ending import end_attempt
from bff.attempts.events import opening_events
from bff.attempts.failures import AbandonedError, failed
from bff.attempts.running import run_attempt
from bff.stream.following import follow
from bff.stream.numbered import NumberedEvent, numbered
from contracts.ids import printed
from contracts.stream import AttemptEvent, KnowledgeEvent, grammar_fault
from services.bff.tests.attempts.making import ATTEMPT_ID, CONVERSATION_ID, make_attempt
from services.bff.tests.fake_knowledge import answer_events

pytestmark = pytest.mark.unit

WHOLE: Final = answer_events(printed("att", ATTEMPT_ID), printed("cnv", CONVERSATION_ID))
ASSIGNMENT: Final = Assignment(attempt=make_attempt(), lease_holder=UUID(int=1))
# Session, metadata, two parts, the UPDATE and three closing events, each before and after, and two looks for a person;
# at the last moment all is done.
STEPS: Final = range(19)


class KilledError(BaseException):
    """The process is gone."""


class Clockwork:
    """Counts the moments of a process and ends it at one of them."""

    def __init__(self, *, dies_at: int) -> None:
        self._left = dies_at

    def tick(self) -> None:
        if self._left == 0:
            raise KilledError
        self._left -= 1


class Knowledge:
    """Answers in full, and has logged that."""

    async def answer(self, assignment: Assignment, *, seconds: float) -> AsyncGenerator[KnowledgeEvent]:
        del assignment, seconds
        for event in WHOLE:
            yield event


class World:
    """What outlives a process: the log, which refuses a number twice, and the row, which takes one end."""

    def __init__(self) -> None:
        self.log: list[NumberedEvent | None] = []
        self.ends: list[Completed | Failed] = []
        self.events: tuple[AttemptEvent, ...] = ()

    async def freeze(self, attempt_id: UUID) -> tuple[AttemptEvent, ...]:
        assert attempt_id == ATTEMPT_ID
        self.log.append(None)
        return tuple(entry.event for entry in self.log if entry is not None)

    async def publish(self, attempt_id: UUID, events: tuple[NumberedEvent, ...]) -> None:
        assert attempt_id == ATTEMPT_ID
        self.log.extend(events)

    async def close(self, result: Completed | Failed, events: tuple[AttemptEvent, ...]) -> bool:
        if self.ends:
            return False
        self.ends.append(result)
        self.events = events
        return True

    async def closed_events(self, attempt_id: UUID) -> tuple[NumberedEvent, ...] | None:
        assert attempt_id == ATTEMPT_ID
        return numbered(self.events) if self.ends else None

    @asynccontextmanager
    async def subscribe(self, attempt_id: UUID, *, after: int) -> AsyncGenerator["Reader"]:
        assert attempt_id == ATTEMPT_ID
        yield Reader([entry for entry in self.log if entry is None or entry.number > after])


class Reader:
    """Hears what the log holds, then silence."""

    def __init__(self, entries: list[NumberedEvent | None]) -> None:
        self._entries = entries

    async def next(self, *, timeout_seconds: float) -> tuple[NumberedEvent, ...]:
        assert timeout_seconds > 0
        entry = self._entries.pop(0) if self._entries else None
        return () if entry is None else (entry,)


class Process:
    """The log and the row as a process sees them that dies at one of its moments."""

    def __init__(self, world: World, clockwork: Clockwork) -> None:
        self._world = world
        self._clockwork = clockwork

    async def append(self, attempt_id: UUID, event: NumberedEvent) -> bool:
        assert attempt_id == ATTEMPT_ID
        self._clockwork.tick()
        self._world.log.append(event)
        self._clockwork.tick()
        return True

    async def close(self, assignment: Assignment, result: Completed | Failed, events: tuple[AttemptEvent, ...]) -> bool:
        assert assignment is ASSIGNMENT
        self._clockwork.tick()
        is_ours = await self._world.close(result, events)
        self._clockwork.tick()
        return is_ours

    async def is_with_person(self, attempt: Attempt) -> bool:
        assert attempt.attempt_id == ATTEMPT_ID
        self._clockwork.tick()
        return False


async def run_until_killed(world: World, *, dies_at: int) -> bool:
    process = Process(world, Clockwork(dies_at=dies_at))
    with suppress(KilledError):
        await run_attempt(ASSIGNMENT, seconds=5, knowledge=Knowledge(), log=process, record=process)
        return False
    return True


async def whole_answer() -> Completed:
    world = World()
    await run_until_killed(world, dies_at=1000)
    (result,) = world.ends
    assert isinstance(result, Completed)
    return result


async def heard(world: World, *, after: int) -> list[NumberedEvent]:
    events = follow(ATTEMPT_ID, after=after, feed=world, rows=world, heartbeat_seconds=1, leaves=lambda _: False)
    return [event async for together in events for event in together]


@pytest.mark.parametrize("knowledge_has_it", [True, False], ids=["knowledge finished", "knowledge lost it"])
@pytest.mark.parametrize("dies_at", STEPS)
async def test_it_has_one_end_and_every_reader_hears_it(*, dies_at: int, knowledge_has_it: bool) -> None:
    world, logged = World(), await whole_answer() if knowledge_has_it else failed(AbandonedError())
    await run_until_killed(world, dies_at=dies_at)

    if not world.ends:
        await end_attempt(ASSIGNMENT.attempt, logged, log=world, close=world.close)
    again = await end_attempt(ASSIGNMENT.attempt, failed(AbandonedError()), log=World(), close=world.close)

    whole = numbered(world.events)
    (end,) = world.ends
    assert not again
    assert grammar_fault([event.event for event in world.events], closed=True) is None
    assert isinstance(end, Completed) == (whole[-1].event.event == "completed")
    for after in range(len(whole)):
        assert await heard(world, after=after) == list(whole[after:])


async def test_the_steps_are_all_of_them() -> None:
    killed = [await run_until_killed(World(), dies_at=moment) for moment in STEPS]

    assert killed == [True] * (len(STEPS) - 1) + [False]


async def test_a_killed_process_that_had_said_nothing_leaves_how_an_attempt_opens() -> None:
    world = World()
    await run_until_killed(world, dies_at=0)

    await end_attempt(ASSIGNMENT.attempt, failed(AbandonedError()), log=world, close=world.close)

    assert world.events[:2] == opening_events(replace(ASSIGNMENT.attempt))
