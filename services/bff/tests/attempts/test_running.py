"""Whatever knowledge sends: exactly one closing event, and JSON and stream of one mind."""

import asyncio
import random
from collections.abc import AsyncGenerator
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bff.attempts.attempt import Assignment, Attempt, Completed, Failed
from bff.attempts.failures import KnowledgeFaultError
from bff.attempts.running import run_attempt
from bff.stream.numbered import NumberedEvent, numbered
from contracts.errors import UnavailableError
from contracts.ids import printed
from contracts.reasons import FailureCode
from contracts.stream import (
    AttemptEvent,
    CompletedEvent,
    DeltaEvent,
    ErrorEvent,
    HeartbeatEvent,
    KnowledgeEvent,
    grammar_fault,
)
from services.bff.tests.attempts.making import ATTEMPT_ID, CONVERSATION_ID, make_attempt
from services.bff.tests.fake_knowledge import answer_events

pytestmark = pytest.mark.unit

WHOLE = answer_events(printed("att", ATTEMPT_ID), printed("cnv", CONVERSATION_ID))
ASSIGNMENT = Assignment(attempt=make_attempt(), lease_holder=UUID(int=1))


class ScriptedKnowledge:
    """Sends what it is told to, then ends, breaks or keeps silent."""

    def __init__(self, events: list[KnowledgeEvent], *, then: str = "end") -> None:
        self._events = events
        self._then = then

    async def answer(self, assignment: Assignment, *, seconds: float) -> AsyncGenerator[KnowledgeEvent]:
        del assignment, seconds
        for event in self._events:
            yield event
        if self._then == "break":
            raise KnowledgeFaultError
        if self._then == "silence":
            await asyncio.Event().wait()


class ListLog:
    """Keeps what was logged, and loses everything from a number on."""

    def __init__(self, *, lost_from: int = 1_000) -> None:
        self.events: list[NumberedEvent] = []
        self.has_part = asyncio.Event()
        self._lost_from = lost_from

    async def append(self, attempt_id: UUID, event: NumberedEvent) -> bool:
        assert attempt_id == ATTEMPT_ID
        if event.number >= self._lost_from:
            return False
        self.events.append(event)
        if isinstance(event.event, DeltaEvent):
            self.has_part.set()
        return True


class OneRecord:
    """Stores the first end, and notes what the log held then."""

    def __init__(self, log: ListLog, *, is_taken: bool = False, person_after: int = 1_000) -> None:
        self.log = log
        self._is_taken = is_taken
        self._looks_before_person = person_after
        self.result: Completed | Failed | None = None
        self.events: tuple[AttemptEvent, ...] = ()
        self.logged_before: list[NumberedEvent] = []

    async def is_with_person(self, attempt: Attempt) -> bool:
        assert attempt.attempt_id == ATTEMPT_ID
        self._looks_before_person -= 1
        return self._looks_before_person < 0

    async def close(self, assignment: Assignment, result: Completed | Failed, events: tuple[AttemptEvent, ...]) -> bool:
        assert assignment is ASSIGNMENT
        if self._is_taken:
            return False
        self.result, self.events, self._is_taken = result, events, True
        self.logged_before = list(self.log.events)
        return True


async def run(knowledge: ScriptedKnowledge, *, lost_from: int = 1_000, is_taken: bool = False) -> OneRecord:
    log = ListLog(lost_from=lost_from)
    record = OneRecord(log, is_taken=is_taken)
    await run_attempt(ASSIGNMENT, seconds=0.05, knowledge=knowledge, log=log, record=record)
    return record


def closing(events: tuple[AttemptEvent, ...]) -> list[AttemptEvent]:
    return [event for event in events if isinstance(event, CompletedEvent | ErrorEvent)]


knowledge_streams = st.one_of(
    st.integers(0, len(WHOLE)).map(lambda cut: WHOLE[:cut]),
    st.lists(st.sampled_from([*WHOLE, HeartbeatEvent()]), max_size=12),
    st.permutations(WHOLE),
)


@settings(max_examples=200)
@given(events=knowledge_streams, then=st.sampled_from(["end", "break"]), lost_from=st.integers(1, 12))
async def test_any_stream_ends_in_exactly_one_closing_event(
    events: list[KnowledgeEvent], then: str, lost_from: int
) -> None:
    record = await run(ScriptedKnowledge(events, then=then), lost_from=lost_from)

    assert len(closing(record.events)) == 1
    assert grammar_fault([event.event for event in record.events], closed=True) is None
    logged = tuple(record.log.events)
    assert logged == numbered(record.events)[: len(logged)]
    assert not any(event.closes for event in record.logged_before)


@settings(max_examples=100)
@given(cut=st.integers(0, len(WHOLE)), then=st.sampled_from(["end", "break"]))
async def test_the_stored_outcome_is_what_was_streamed(cut: int, then: str) -> None:
    record = await run(ScriptedKnowledge(WHOLE[:cut], then=then))

    (last,) = closing(record.events)
    if isinstance(record.result, Completed):
        assert isinstance(last, CompletedEvent)
        assert last.model_dump(exclude={"event"}) == record.result.outcome.model_dump()
        texts = [event.text for event in record.events if isinstance(event, DeltaEvent)]
        assert "".join(texts) == record.result.outcome.answer
    else:
        assert isinstance(last, ErrorEvent)
        assert record.result is not None
        assert last.code is record.result.code
    assert isinstance(record.result, Completed) == (cut == len(WHOLE) and then == "end")


async def test_silence_ends_with_the_deadline() -> None:
    record = await run(ScriptedKnowledge(WHOLE[:3], then="silence"))

    assert isinstance(record.result, Failed)
    assert record.result.code is FailureCode.KNOWLEDGE_TIMEOUT


async def test_whoever_loses_the_update_writes_nothing() -> None:
    record = await run(ScriptedKnowledge(WHOLE), is_taken=True)

    assert record.result is None
    assert [event.event.event for event in record.log.events] == ["session", "metadata", "delta", "delta"]


async def test_a_stopped_runner_ends_its_attempt_as_abandoned() -> None:
    log = ListLog()
    record = OneRecord(log)
    knowledge = ScriptedKnowledge(WHOLE[:3], then="silence")
    running = asyncio.create_task(run_attempt(ASSIGNMENT, seconds=20, knowledge=knowledge, log=log, record=record))
    await log.has_part.wait()

    running.cancel()

    assert isinstance(await running, Failed)
    assert isinstance(record.result, Failed)
    assert record.result.code is FailureCode.ABANDONED


@pytest.mark.parametrize("number", [0, 3])
async def test_a_listed_citation_that_no_part_uses_breaks_the_answer(number: int) -> None:
    events = list(WHOLE)
    completed = events[-1]
    assert isinstance(completed, CompletedEvent)
    part = completed.parts[0].model_copy(update={"citations": (number,)})
    events[-1] = completed.model_copy(update={"parts": (part, completed.parts[1])})

    record = await run(ScriptedKnowledge(events))

    assert isinstance(record.result, Failed)
    assert record.result.code is FailureCode.KNOWLEDGE_ERROR


@pytest.mark.parametrize(("looks", "parts"), [(0, 0), (1, 2)])
async def test_where_a_person_took_over_nothing_more_is_said(looks: int, parts: int) -> None:
    log = ListLog()
    record = OneRecord(log, person_after=looks)

    result = await run_attempt(ASSIGNMENT, seconds=5, knowledge=ScriptedKnowledge(WHOLE), log=log, record=record)

    assert result == Failed(code=FailureCode.CANCELLED, retryable=False)
    assert [event.event for event in record.events].count("delta") == parts
    assert record.events[-1].event == "error"


class UnsteadyRecord(OneRecord):
    """Cannot be had so many times, at calls that the seed chooses."""

    def __init__(self, log: ListLog, *, seed: int, outages: int, chance: float = 0.6) -> None:
        super().__init__(log)
        self._source = random.Random(seed)  # noqa: S311 - to repeat a run, not to hide one
        self._chance = chance
        self._left = outages
        self.is_closing = asyncio.Event()

    async def is_with_person(self, attempt: Attempt) -> bool:
        self._falter()
        return await super().is_with_person(attempt)

    async def close(self, assignment: Assignment, result: Completed | Failed, events: tuple[AttemptEvent, ...]) -> bool:
        self.is_closing.set()
        self._falter()
        return await super().close(assignment, result, events)

    def _falter(self) -> None:
        if self._left > 0 and self._source.random() < self._chance:
            self._left -= 1
            raise UnavailableError


@pytest.mark.parametrize("seed", range(8))
async def test_an_attempt_ends_although_its_record_cannot_be_had_for_a_while(seed: int) -> None:
    log = ListLog()
    record = UnsteadyRecord(log, seed=seed, outages=3)

    result = await run_attempt(ASSIGNMENT, seconds=20, knowledge=ScriptedKnowledge(WHOLE), log=log, record=record)

    assert isinstance(result, Completed)
    assert record.result is result
    assert log.events == list(numbered(record.events))


async def test_without_its_record_a_stopped_runner_does_not_wait_for_ever() -> None:
    log = ListLog()
    record = UnsteadyRecord(log, seed=0, outages=10**9, chance=1)
    knowledge = ScriptedKnowledge(WHOLE[:2], then="break")
    running = asyncio.create_task(run_attempt(ASSIGNMENT, seconds=20, knowledge=knowledge, log=log, record=record))
    await record.is_closing.wait()

    running.cancel()

    with pytest.raises(UnavailableError):
        await running


class HeldRecord(OneRecord):
    """Holds the first attempt to close back until it is cancelled."""

    def __init__(self, log: ListLog) -> None:
        super().__init__(log)
        self.is_closing = asyncio.Event()

    async def close(self, assignment: Assignment, result: Completed | Failed, events: tuple[AttemptEvent, ...]) -> bool:
        if not self.is_closing.is_set():
            self.is_closing.set()
            await asyncio.Event().wait()
        return await super().close(assignment, result, events)


async def test_a_runner_that_is_stopped_while_it_stores_its_result_stores_it() -> None:
    log = ListLog()
    record = HeldRecord(log)
    knowledge = ScriptedKnowledge(WHOLE)
    running = asyncio.create_task(run_attempt(ASSIGNMENT, seconds=20, knowledge=knowledge, log=log, record=record))
    await record.is_closing.wait()

    running.cancel()

    assert isinstance(await running, Completed)
    assert isinstance(record.result, Completed)
    assert log.events[-1].closes
