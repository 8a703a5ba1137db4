"""The events of one attempt: a closed union, numbered, with exactly one closing event.

    session → metadata → (delta | heartbeat)* → citation* → completed
    session → metadata → (delta | heartbeat)* → error

`grammar_fault` is the one definition of that grammar; both services and every contract test use it.
"""

import re
from collections.abc import Iterable
from typing import Annotated, Final, Literal

from pydantic import Field, TypeAdapter

from contracts import fields
from contracts.answers import CitationView, Outcome
from contracts.model import Outgoing

_EVENT: Final = "Which event this is: the SSE field `event:`"


class SessionEvent(Outgoing):
    """Who is speaking: always the first event."""

    event: Literal["session"] = Field(default="session", description=_EVENT)
    conversation_id: fields.ConversationId
    attempt_id: fields.AttemptId
    retry_of_attempt_id: fields.RetryOf


class MetadataEvent(Outgoing):
    """What the attempt runs on. `knowledge_version` is null until knowledge has said it."""

    event: Literal["metadata"] = Field(default="metadata", description=_EVENT)
    trace_id: fields.TraceId
    knowledge_version: fields.KnowledgeVersion
    as_of: fields.AsOf
    language: fields.AnswerLanguage


class DeltaEvent(Outgoing):
    """One validated part, with the citations that appear in it for the first time."""

    event: Literal["delta"] = Field(default="delta", description=_EVENT)
    kind: fields.Kind
    text: fields.PartText
    citations: fields.CitationIndexes
    new_citations: tuple[CitationView, ...] = Field(
        description="The citations of this part that no part before had", max_length=1_000
    )


class HeartbeatEvent(Outgoing):
    """The connection lives. Made by each reader's connection, without an id, never logged."""

    event: Literal["heartbeat"] = Field(default="heartbeat", description=_EVENT)


class CitationEvent(CitationView):
    """The same CitationView as in the JSON answer."""

    event: Literal["citation"] = Field(default="citation", description=_EVENT)


class CompletedEvent(Outcome):
    """The only sign of success."""

    event: Literal["completed"] = Field(default="completed", description=_EVENT)


class ErrorEvent(Outgoing):
    """The attempt failed: a technical fault, never an answer."""

    event: Literal["error"] = Field(default="error", description=_EVENT)
    code: fields.Code
    message: str = Field(description="A sentence to show", max_length=10_000, examples=["The attempt took too long."])
    retryable: fields.Retryable
    trace_id: fields.TraceId


class UsageEvent(Outgoing):
    """What the answer cost and comes from. Only between knowledge and bff, which shows customers nothing of it."""

    event: Literal["usage"] = "usage"
    writer: str
    model: str | None
    input_tokens: int
    output_tokens: int
    finish_reason: str | None
    knowledge_version: int | None
    documents: tuple[str, ...] = Field(default=(), description="Slugs of the documents that are cited")
    areas: tuple[str, ...] = Field(default=(), description="Their fields of business, for counting")


AttemptEvent = SessionEvent | MetadataEvent | DeltaEvent | HeartbeatEvent | CitationEvent | CompletedEvent | ErrorEvent
KnowledgeEvent = AttemptEvent | UsageEvent
ClosingEvent = CompletedEvent | ErrorEvent

ATTEMPT_EVENT: Final[TypeAdapter[AttemptEvent]] = TypeAdapter(Annotated[AttemptEvent, Field(discriminator="event")])
KNOWLEDGE_EVENT: Final[TypeAdapter[KnowledgeEvent]] = TypeAdapter(
    Annotated[KnowledgeEvent, Field(discriminator="event")]
)

# One letter an event, so that the grammar is a regular expression. A prefix is legal until it is closed.
_LETTER: Final = {
    "session": "s",
    "metadata": "m",
    "delta": "d",
    "heartbeat": "h",
    "citation": "c",
    "completed": "C",
    "error": "E",
}
_CLOSED: Final = re.compile(r"sm[dh]*(?:c*C|E)")
_OPEN: Final = re.compile(r"(?:s(?:m[dh]*c*)?)?")


def grammar_fault(event_names: Iterable[str], *, closed: bool) -> str | None:
    """Say what breaks the event grammar, or None; `closed` demands the closing event."""
    names = tuple(event_names)
    unknown = [name for name in names if name not in _LETTER]
    if unknown:
        return f"unknown event {unknown[0]!r}"
    word = "".join(_LETTER[name] for name in names)
    if _CLOSED.fullmatch(word) or (not closed and _OPEN.fullmatch(word)):
        return None
    return f"events in an order the grammar does not allow: {' '.join(names)}"
