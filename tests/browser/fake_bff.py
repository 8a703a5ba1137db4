"""A bff without a system behind it: it speaks the customer API and says what a test has written out for it."""

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Final

from contracts.answers import Suggestion
from contracts.customer import Attempt, Conversation, Escalation, Feedback
from contracts.reasons import EscalationStatus, FailureCode, RefusalReason
from contracts.stream import (
    AttemptEvent,
    ClosingEvent,
    CompletedEvent,
    DeltaEvent,
    ErrorEvent,
    MetadataEvent,
    SessionEvent,
)
from tests.browser.scripts import TRACE_ID, Cut, Gate, Script, failure, refusal

_UNKNOWN: Final = refusal(RefusalReason.NO_AUTHORIZED_EVIDENCE, "我们没有找到可以引用的现行规定。")
_BORN_AT: Final = datetime(2026, 11, 29, 8, tzinfo=UTC)


@dataclass
class Running:
    """One attempt with everything it has said so far."""

    attempt: Attempt
    offered: tuple[Suggestion, ...] = ()
    """What is suggested should it fail."""
    events: list[AttemptEvent] = field(default_factory=list[AttemptEvent])
    cuts: int = 0
    is_over: bool = False
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def say(self, event: AttemptEvent) -> None:
        """Append an event and fold it into the attempt that a reader of JSON sees."""
        async with self.changed:
            self.events.append(event)
            if isinstance(event, CompletedEvent | ErrorEvent) and self.attempt.status == "PENDING":
                self.attempt = _closed(self.attempt, self.events, event)
                if isinstance(event, ErrorEvent):
                    self.attempt = self.attempt.model_copy(update={"suggestions": self.offered})
            self.changed.notify_all()

    async def end(self) -> None:
        """Say that nothing more comes, not even too late."""
        async with self.changed:
            self.is_over = True
            self.changed.notify_all()

    async def cut(self) -> None:
        """Break the connection of everyone who reads now."""
        async with self.changed:
            self.cuts += 1
            self.changed.notify_all()

    async def read(self, after: int) -> AsyncIterator[str]:
        """Tell the events after the given number as server-sent events, until nothing more comes or the line is cut."""
        cuts, told = self.cuts, after
        while not (self.is_over and told == len(self.events)) and self.cuts == cuts:
            await self._wait_for_news(told, cuts)
            for event in self.events[told:]:
                told += 1
                data = event.model_dump_json(exclude={"event"})
                yield f"id: {told}\nevent: {event.event}\ndata: {data}\n\n"

    async def _wait_for_news(self, told: int, cuts: int) -> None:
        async with self.changed:
            await self.changed.wait_for(lambda: len(self.events) > told or self.cuts > cuts or self.is_over)


@dataclass
class FakeBff:
    """The state of the fake, which tests read and write directly."""

    scripts: dict[str, deque[Script]] = field(default_factory=lambda: defaultdict(deque))
    conversations: dict[str, list[Running]] = field(default_factory=dict[str, list[Running]])
    tenants: list[str] = field(default_factory=list[str])
    asks: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    escalation: Escalation | None = None
    is_with_person: bool = False
    retries_left: int = 3
    offered: tuple[Suggestion, ...] = ()
    keys: dict[str, Running] = field(default_factory=dict[str, Running])
    tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    def on(self, question: str, *scripts: Script) -> None:
        """Say these scripts, one a try, when this question is asked."""
        self.scripts[question].extend(scripts)

    def conversation(self, conversation_id: str) -> Conversation:
        """Give a conversation as JSON readers see it."""
        attempts = tuple(running.attempt for running in self.conversations[conversation_id])
        return Conversation(conversation_id=conversation_id, attempts=attempts, escalation=self.escalation)

    def running(self, attempt_id: str) -> Running:
        """Find an attempt."""
        everything = (running for attempts in self.conversations.values() for running in attempts)
        return next(running for running in everything if running.attempt.attempt_id == attempt_id)

    def start(self, conversation_id: str, question: str, retry_of: str | None) -> Running:
        """Begin an attempt that goes on whether anybody reads it or not."""
        attempts = self.conversations[conversation_id]
        number = sum(map(len, self.conversations.values())) + 1
        is_second = any(each.attempt.status == "FAILED" for each in attempts)
        offered = self.offered if is_second else ()
        running = Running(_pending(conversation_id, f"att_{number:032x}", question, retry_of), offered)
        attempts.append(running)
        script = self.scripts[question].popleft() if self.scripts[question] else _UNKNOWN
        task = asyncio.create_task(_perform(running, script))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return running

    async def hang_up(self) -> None:
        """End every attempt and every connection."""
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        for attempts in self.conversations.values():
            for running in attempts:
                await running.end()

    def judge(self, attempt_id: str, feedback: Feedback) -> None:
        """Record a judgement on the attempt it belongs to."""
        running = self.running(attempt_id)
        running.attempt = running.attempt.model_copy(update={"feedback": feedback})

    def escalate(self, attempt_id: str) -> Escalation:
        """Open the escalation, or give the open one."""
        if self.escalation is None:
            self.escalation = Escalation(
                escalation_id=f"esc_{1:032x}",
                attempt_id=attempt_id,
                status="REQUESTED",
                ticket_number=None,
                solution=None,
                created_at=_BORN_AT,
            )
        return self.escalation

    def move_escalation(self, status: EscalationStatus, ticket_number: str | None) -> None:
        """Let the support system report progress."""
        assert self.escalation is not None
        update = {"status": status, "ticket_number": ticket_number}
        self.escalation = self.escalation.model_copy(update=update)


async def cancel(running: Running) -> None:
    """Stop an attempt as the customer wished."""
    await running.say(_cancelled())
    await running.end()


def _cancelled() -> ErrorEvent:
    (event,) = failure(code=FailureCode.CANCELLED)
    assert isinstance(event, ErrorEvent)
    return event


async def _perform(running: Running, script: Script) -> None:
    attempt = running.attempt
    await running.say(
        SessionEvent(
            conversation_id=attempt.conversation_id,
            attempt_id=attempt.attempt_id,
            retry_of_attempt_id=attempt.retry_of_attempt_id,
        )
    )
    await running.say(
        MetadataEvent(trace_id=TRACE_ID, knowledge_version=None, as_of=attempt.as_of, language=attempt.language)
    )
    for step in script:
        if isinstance(step, Gate):
            await step.opened.wait()
        elif isinstance(step, Cut):
            await running.cut()
        else:
            await running.say(step)
    await running.end()


def _pending(conversation_id: str, attempt_id: str, question: str, retry_of: str | None) -> Attempt:
    return Attempt(
        attempt_id=attempt_id,
        conversation_id=conversation_id,
        retry_of_attempt_id=retry_of,
        status="PENDING",
        question=question,
        answer=None,
        parts=(),
        coverage=None,
        citations=(),
        refused=False,
        reason_code=None,
        refusal_reason=None,
        missing_facts=(),
        handoff="none",
        suggestions=(),
        failure_code=None,
        retryable=False,
        knowledge_version=None,
        as_of=date.today(),  # noqa: DTZ011  # the page compares with the day of its own clock, which is this one
        language="zh",
        trace_id=TRACE_ID,
        feedback=None,
        created_at=_BORN_AT,
        completed_at=None,
    )


def _closed(attempt: Attempt, events: list[AttemptEvent], closing: ClosingEvent) -> Attempt:
    if isinstance(closing, ErrorEvent):
        failed = {"status": "FAILED", "failure_code": closing.code, "retryable": closing.retryable}
        return attempt.model_copy(update={**failed, "completed_at": _BORN_AT})
    outcome = {name: getattr(closing, name) for name in type(closing).model_fields if name != "event"}
    views = {view.index: view for event in events if isinstance(event, DeltaEvent) for view in event.new_citations}
    completed = {"status": "COMPLETED", "citations": tuple(views[index] for index in sorted(views))}
    return attempt.model_copy(update={**outcome, **completed, "completed_at": _BORN_AT})
