"""Tells an attempt as events: the opening ones at once, heartbeats while it runs, the rest from its end in the log."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator
from typing import Final

from contracts.answers import CitationView, Part
from contracts.errors import YoujuError
from contracts.ids import printed
from contracts.reasons import RETRYABLE_FAILURES, FailureCode
from contracts.stream import (
    CitationEvent,
    CompletedEvent,
    DeltaEvent,
    ErrorEvent,
    HeartbeatEvent,
    KnowledgeEvent,
    MetadataEvent,
    SessionEvent,
    UsageEvent,
)
from knowledge.adapters.live import Live
from knowledge.answering.log import Asked, Logged
from knowledge.api.failures import failure_error
from runtime.sse import encode_event

# Below the 15 seconds that readers are promised.
HEARTBEAT_SECONDS: Final = 10.0


async def answer_stream(
    asked: Asked,
    ending: asyncio.Task[Logged],
    *,
    live: Live | None = None,
    heartbeat_seconds: float = HEARTBEAT_SECONDS,
) -> AsyncGenerator[bytes]:
    """Give the events on the wire. A reader that leaves does not end the attempt."""
    number = 0
    for event in opening_events(asked):
        number += 1
        yield encode_event(event, number=number)
    deltas = 0
    async for event in _running_events(ending, live or Live(), heartbeat_seconds):
        is_delta = isinstance(event, DeltaEvent)
        deltas, number = deltas + is_delta, number + is_delta
        yield encode_event(event, number=number if is_delta else None)
    for event in _without_first(deltas, _ending_events(asked, ending)):
        number += 1
        yield encode_event(event, number=number)


async def _running_events(
    ending: asyncio.Task[Logged], live: Live, heartbeat_seconds: float
) -> AsyncGenerator[DeltaEvent | HeartbeatEvent]:
    """Give parts as they are shown, and heartbeats while nothing is, until the attempt ends."""
    heard = 0
    named: set[int] = set()
    while not ending.done():
        more = asyncio.create_task(live.more(than=heard))
        await asyncio.wait({ending, more}, timeout=heartbeat_seconds, return_when=asyncio.FIRST_COMPLETED)
        more.cancel()
        fresh, heard = live.shown[heard:], len(live.shown)
        for shown in fresh:
            for delta in _deltas(shown.parts, shown.citations, named):
                yield delta
        if not fresh and not ending.done():
            yield HeartbeatEvent()


def _without_first(deltas: int, events: Iterator[KnowledgeEvent]) -> Iterator[KnowledgeEvent]:
    """Leave out the parts that were told while the attempt ran: they begin its outcome."""
    for event in events:
        if isinstance(event, DeltaEvent) and deltas:
            deltas -= 1
            continue
        yield event


def opening_events(asked: Asked) -> Iterator[KnowledgeEvent]:
    """Give the events that need no knowledge."""
    yield SessionEvent(
        conversation_id=asked.conversation_id,
        attempt_id=printed("att", asked.attempt_id),
        retry_of_attempt_id=printed("att", asked.retry_of) if asked.retry_of else None,
    )
    yield MetadataEvent(trace_id=asked.trace_id, knowledge_version=None, as_of=asked.as_of, language=asked.language)


def closing_events(logged: Logged) -> Iterator[KnowledgeEvent]:
    """Give the events of a closed attempt: parts, citations, usage, completed; or the error."""
    if logged.outcome is None:
        yield _error(logged.failure or FailureCode.INTERNAL, trace_id=logged.trace_id)
        return
    views = tuple(citation.view for citation in logged.citations)
    yield from _deltas(logged.outcome.parts, views, set())
    for view in views:
        yield CitationEvent.model_validate(view.model_dump())
    yield _usage(logged)
    yield CompletedEvent.model_validate(logged.outcome.model_dump())


def _deltas(parts: Iterable[Part], citations: Iterable[CitationView], named: set[int]) -> Iterator[DeltaEvent]:
    """Give the parts with the citations they name for the first time; `named` grows by them."""
    views = {view.index: view for view in citations}
    for part in parts:
        fresh = tuple(views[index] for index in part.citations if index not in named)
        named.update(part.citations)
        yield DeltaEvent(kind=part.kind, text=part.text, citations=part.citations, new_citations=fresh)


def _ending_events(asked: Asked, ending: asyncio.Task[Logged]) -> Iterator[KnowledgeEvent]:
    trouble = ending.exception()
    if trouble is None:
        yield from closing_events(ending.result())
        return
    code = trouble.code if isinstance(trouble, YoujuError) else FailureCode.INTERNAL
    known = FailureCode(code) if code in FailureCode.__members__ else FailureCode.KNOWLEDGE_UNAVAILABLE
    yield _error(known, trace_id=asked.trace_id)


def _error(code: FailureCode, *, trace_id: str) -> ErrorEvent:
    return ErrorEvent(
        code=code, message=failure_error(code).detail, retryable=code in RETRYABLE_FAILURES, trace_id=trace_id
    )


def _usage(logged: Logged) -> UsageEvent:
    usage = logged.usage
    return UsageEvent(
        writer=logged.writer or "none",
        model=usage.model if usage else None,
        input_tokens=usage.input_tokens if usage else 0,
        output_tokens=usage.output_tokens if usage else 0,
        finish_reason=usage.finish_reason if usage else None,
        knowledge_version=logged.version,
        documents=logged.documents,
        areas=logged.areas,
    )
