"""Read knowledge's stream into what our customers see: parts as they come, then the outcome, or the fault.

The stream is checked as a whole: its grammar, that the streamed parts are the parts of the outcome, and that every
citation is listed once. Whether a citation is *valid* is knowledge's business alone.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from pydantic import ValidationError

from bff.attempts.attempt import Attempt, Completed
from bff.attempts.failures import (
    AttemptFailedError,
    EmptyStreamError,
    KnowledgeFaultError,
    KnowledgeUnavailableError,
    failure_of,
)
from contracts.answers import CitationView, Outcome
from contracts.ids import printed
from contracts.reasons import FailureCode
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
    grammar_fault,
)

Release = Callable[[DeltaEvent], Awaitable[None]]


class BrokenStreamError(KnowledgeFaultError):
    """The answer could not be made; try again."""


async def read_answer(attempt: Attempt, events: AsyncGenerator[KnowledgeEvent], release: Release) -> Completed:
    """Read a stream to its end, releasing each part as it comes.

    Errors: AttemptFailedError of the kind the stream ended with.
    """
    reading = _Reading(attempt)
    async with aclosing(events):
        async for event in events:
            delta = reading.take(event)
            if delta is not None:
                await release(delta)
    return reading.result()


class _Reading:
    """What was heard of one stream so far."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt
        self._names: list[str] = []
        self._deltas: list[DeltaEvent] = []
        self._citations: list[CitationView] = []
        self._knowledge_version: int | None = None
        self._documents: tuple[str, ...] = ()
        self._areas: tuple[str, ...] = ()
        self._outcome: Outcome | None = None

    def take(self, event: KnowledgeEvent) -> DeltaEvent | None:
        """Take the next event in and give the part to release, if it is one."""
        if isinstance(event, UsageEvent):
            self._knowledge_version = event.knowledge_version or self._knowledge_version
            self._documents, self._areas = event.documents, event.areas
            return None
        if isinstance(event, HeartbeatEvent):
            return None
        self._check_order(event.event)
        match event:
            case SessionEvent():
                self._check_attempt(event)
            case MetadataEvent():
                self._knowledge_version = event.knowledge_version
            case DeltaEvent():
                return self._part(event)
            case CitationEvent():
                self._citations.append(linked(self._attempt, _view(event)))
            case CompletedEvent():
                self._outcome = _outcome(event)
            case ErrorEvent():
                raise _refused(event)
        return None

    def result(self) -> Completed:
        """Give what the whole stream said."""
        if not self._names:
            raise EmptyStreamError
        if self._outcome is None:
            raise BrokenStreamError
        completed = Completed(
            outcome=self._outcome,
            citations=tuple(self._citations),
            knowledge_version=self._knowledge_version,
            documents=self._documents,
            areas=self._areas,
        )
        check_consistent(completed)
        self._check_parts(self._outcome)
        return completed

    def _check_order(self, name: str) -> None:
        # A further part or citation after another leaves the order as it is: the names stay few.
        if self._names[-1:] == [name] and name in ("delta", "citation"):
            return
        self._names.append(name)
        if grammar_fault(self._names, closed=self._outcome is not None or name in ("completed", "error")):
            raise BrokenStreamError

    def _check_attempt(self, event: SessionEvent) -> None:
        if event.attempt_id != printed("att", self._attempt.attempt_id):
            raise BrokenStreamError

    def _part(self, event: DeltaEvent) -> DeltaEvent:
        if event.new_citations:
            new = tuple(linked(self._attempt, citation) for citation in event.new_citations)
            event = event.model_copy(update={"new_citations": new})
        self._deltas.append(event)
        return event

    def _check_parts(self, outcome: Outcome) -> None:
        streamed = [(delta.kind, delta.text, delta.citations) for delta in self._deltas]
        parts = [(part.kind, part.text, part.citations) for part in outcome.parts]
        # A refusal is a sentence of ours: it may come with the outcome alone.
        if streamed != parts and (streamed or not outcome.refused):
            raise BrokenStreamError


def check_consistent(completed: Completed) -> None:
    """Refuse an outcome that contradicts itself or leans on a citation that is not listed. Errors: BrokenStreamError."""
    outcome = completed.outcome
    listed = [citation.index for citation in completed.citations]
    used = {index for part in outcome.parts for index in part.citations}
    is_refusal = outcome.coverage == "none" and outcome.reason_code is not None
    if outcome.refused != is_refusal or listed != list(range(1, len(listed) + 1)) or used != set(listed):
        raise BrokenStreamError


def linked(attempt: Attempt, citation: CitationView) -> CitationView:
    """Point a citation's detail at our own API: knowledge's addresses mean nothing to a customer."""
    place = f"/v1/conversations/{printed('cnv', attempt.conversation_id)}"
    url = f"{place}/attempts/{printed('att', attempt.attempt_id)}/citations/{citation.index}"
    return citation.model_copy(update={"detail_url": url})


def _outcome(event: CompletedEvent) -> Outcome:
    try:
        return Outcome.model_validate(event.model_dump(exclude={"event"}))
    except ValidationError as out_of_bounds:
        raise BrokenStreamError from out_of_bounds


def _view(event: CitationEvent) -> CitationView:
    return CitationView.model_validate(event.model_dump(exclude={"event"}))


def _refused(event: ErrorEvent) -> AttemptFailedError:
    # ABANDONED and CANCELLED are states of our own; from outside they only say that knowledge let go.
    if event.code in (FailureCode.ABANDONED, FailureCode.CANCELLED):
        return KnowledgeUnavailableError()
    return failure_of(event.code)
