"""Run one attempt from its first event to its last, whoever listens.

The order is the promise: parts are logged as they come, one guarded UPDATE decides, and only the winner logs the
closing events. Whoever loses writes nothing.
"""

import asyncio
from collections.abc import AsyncGenerator
from typing import Protocol
from uuid import UUID

from bff.attempts.attempt import Assignment, Attempt, Completed, Failed
from bff.attempts.events import closing_events, opening_events
from bff.attempts.failures import (
    AbandonedError,
    AttemptFailedError,
    CancelledAttemptError,
    KnowledgeTimeoutError,
    failed,
)
from bff.attempts.handoff import with_raised_handoff
from bff.attempts.insisting import insist, once
from bff.attempts.reading import Release, read_answer
from bff.stream.numbered import NumberedEvent, numbered
from contracts.stream import AttemptEvent, DeltaEvent, KnowledgeEvent


class Knowledge(Protocol):
    """Where answers come from."""

    def answer(self, assignment: Assignment, *, seconds: float) -> AsyncGenerator[KnowledgeEvent]:
        """Ask, and give the events as they come. Errors: AttemptFailedError."""
        ...


class EventLog(Protocol):
    """The events of running attempts, for readers in any process."""

    async def append(self, attempt_id: UUID, event: NumberedEvent) -> bool:
        """Add an event under its number; False when the log is lost or frozen, never an error."""
        ...


class Record(Protocol):
    """The rows of attempts."""

    async def close(self, assignment: Assignment, result: Completed | Failed, events: tuple[AttemptEvent, ...]) -> bool:
        """Store how an attempt ended, if it is still PENDING and its lease is ours; False when somebody was first."""
        ...

    async def is_with_person(self, attempt: Attempt) -> bool:
        """Say whether a person has the attempt's conversation now."""
        ...


class Journal:
    """The events of one attempt so far. A log that misses one gets no more, so that readers turn to the row."""

    def __init__(self, attempt_id: UUID, log: EventLog) -> None:
        """Start with nothing written."""
        self._attempt_id = attempt_id
        self._log = log
        self._is_whole = True
        self.events: list[AttemptEvent] = []

    async def write(self, event: AttemptEvent) -> None:
        """Keep an event and pass it on to the log."""
        self.events.append(event)
        await self._pass_on(NumberedEvent(len(self.events), event))

    @property
    def has_parts(self) -> bool:
        """Whether a part of the answer was written."""
        return isinstance(self.events[-1], DeltaEvent)

    async def publish_closing(self, events: tuple[AttemptEvent, ...]) -> None:
        """Pass the closing events on to the log: only after they are stored."""
        for event in numbered(events)[len(self.events) :]:
            await self._pass_on(event)

    async def _pass_on(self, event: NumberedEvent) -> None:
        if self._is_whole:
            self._is_whole = await self._log.append(self._attempt_id, event)


async def run_attempt(
    assignment: Assignment, *, seconds: float, knowledge: Knowledge, log: EventLog, record: Record
) -> Completed | Failed | None:
    """Run an attempt and say how it ended, or None when somebody else ended it.

    Where a person took the conversation over meanwhile, nothing is said into it: the attempt is CANCELLED.
    While the record cannot be had it is asked again, so that an attempt waits for nobody else to end it.
    Repeat: a second runner loses the guarded UPDATE and changes nothing.
    """
    attempt = assignment.attempt
    journal = Journal(attempt.attempt_id, log)
    for event in opening_events(attempt):
        await journal.write(event)

    async def release(part: DeltaEvent) -> None:
        if not journal.has_parts and await insist(lambda: record.is_with_person(attempt)):
            raise CancelledAttemptError
        await journal.write(part)

    result = with_raised_handoff(failed(AbandonedError()), attempt, assignment.history)
    try:
        answered = await _answered(assignment, seconds=seconds, knowledge=knowledge, release=release)
        result = with_raised_handoff(answered, attempt, assignment.history)
        return await _ended(assignment, result, journal, record, is_patient=True)
    except asyncio.CancelledError:
        # The process stops, or the lease is lost: the attempt ends in our name if it is still ours to end.
        return await _ended(assignment, result, journal, record, is_patient=False)


async def _answered(
    assignment: Assignment, *, seconds: float, knowledge: Knowledge, release: Release
) -> Completed | Failed:
    try:
        async with asyncio.timeout(seconds):
            return await read_answer(assignment.attempt, knowledge.answer(assignment, seconds=seconds), release)
    except AttemptFailedError as error:
        return failed(error)
    except TimeoutError:
        return failed(KnowledgeTimeoutError())


async def _ended(
    assignment: Assignment, result: Completed | Failed, journal: Journal, record: Record, *, is_patient: bool
) -> Completed | Failed | None:
    """Store how an attempt ended and tell its readers. Errors: UnavailableError without patience, nothing stored."""
    ask = insist if is_patient else once
    attempt = assignment.attempt
    if isinstance(result, Completed) and await ask(lambda: record.is_with_person(attempt)):
        result = failed(CancelledAttemptError())
    events = (*journal.events, *closing_events(attempt, result))
    if not await ask(lambda: record.close(assignment, result, events)):
        return None
    await journal.publish_closing(events)
    return result
