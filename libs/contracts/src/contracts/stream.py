"""The events of one attempt: a closed union, numbered, with exactly one closing event.

    session → metadata → (delta | heartbeat)* → citation* → completed
    session → metadata → (delta | heartbeat)* → error

`grammar_fault` is the one definition of that grammar; both services and every contract test use it.
"""

import re
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Final, Literal

from pydantic import Field, TypeAdapter

from contracts.answers import CitationView, Outcome
from contracts.model import Outgoing
from contracts.reasons import FailureCode, Language, PartKind


class SessionEvent(Outgoing):
    """Who is speaking: always the first event."""

    event: Literal["session"] = "session"
    conversation_id: str
    attempt_id: str
    retry_of_attempt_id: str | None


class MetadataEvent(Outgoing):
    """What the attempt runs on. `knowledge_version` is null until knowledge has said it."""

    event: Literal["metadata"] = "metadata"
    trace_id: str
    knowledge_version: int | None
    as_of: date
    language: Language


class DeltaEvent(Outgoing):
    """One validated part, with the citations that appear in it for the first time."""

    event: Literal["delta"] = "delta"
    kind: PartKind
    text: str
    citations: tuple[int, ...]
    new_citations: tuple[CitationView, ...]


class HeartbeatEvent(Outgoing):
    """The connection lives. Made by each reader's connection, without an id, never logged."""

    event: Literal["heartbeat"] = "heartbeat"


class CitationEvent(CitationView):
    """The same CitationView as in the JSON answer."""

    event: Literal["citation"] = "citation"


class CompletedEvent(Outcome):
    """The only sign of success."""

    event: Literal["completed"] = "completed"


class ErrorEvent(Outgoing):
    """The attempt failed: a technical fault, never an answer."""

    event: Literal["error"] = "error"
    code: FailureCode
    message: str
    retryable: bool
    trace_id: str


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
