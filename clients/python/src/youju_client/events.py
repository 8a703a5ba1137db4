"""The events of an attempt: `session → metadata → (delta | heartbeat)* → citation* → completed`, or `error` at its end."""

import json
from datetime import date
from typing import Final

from httpx_sse import ServerSentEvent
from pydantic import ValidationError

from youju_client.bodies import Body, CitationView, Outcome


class SessionEvent(Body):
    """Names the attempt: always the first event."""

    conversation_id: str
    attempt_id: str
    retry_of_attempt_id: str | None


class MetadataEvent(Body):
    """What the attempt runs on."""

    trace_id: str
    knowledge_version: int | None
    as_of: date
    language: str


class DeltaEvent(Body):
    """One part to show at once, with the citations that are new with it."""

    kind: str
    text: str
    citations: tuple[int, ...]
    new_citations: tuple[CitationView, ...]


class HeartbeatEvent(Body):
    """The connection lives."""


class CitationEvent(CitationView):
    """A citation of the answer."""


class CompletedEvent(Outcome):
    """The only sign of success; with `refused` there is no answer."""


class ErrorEvent(Body):
    """The attempt failed: what was shown before is taken back."""

    code: str
    message: str
    retryable: bool
    trace_id: str


Event = SessionEvent | MetadataEvent | DeltaEvent | HeartbeatEvent | CitationEvent | CompletedEvent | ErrorEvent

KINDS: Final[dict[str, type[Event]]] = {
    "session": SessionEvent,
    "metadata": MetadataEvent,
    "delta": DeltaEvent,
    "heartbeat": HeartbeatEvent,
    "citation": CitationEvent,
    "completed": CompletedEvent,
    "error": ErrorEvent,
}


def event_of(heard: ServerSentEvent) -> Event | None:
    """Read an event; None for one that a newer server may send or that cannot be read."""
    kind = KINDS.get(heard.event)
    if kind is None:
        return None
    try:
        return kind.model_validate(json.loads(heard.data))
    except (ValidationError, ValueError):
        return None
