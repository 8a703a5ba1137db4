"""Describe what the services tell each other through the broker.

Source: AsyncAPI 3.0 (channels, messages, operations) and CloudEvents 1.0 (the envelope).
"""

from typing import Any, Final

from pydantic.json_schema import models_json_schema

from contracts.messages import (
    ACKNOWLEDGED,
    ATTEMPT_JUDGED,
    CREATE_TICKET,
    ESCALATION_REQUESTED,
    KNOWLEDGE_QUEUE,
    TICKET_CHANGED,
    TICKETING_QUEUE,
    URGENT_TICKETING_QUEUE,
    Acknowledged,
    AttemptJudged,
    CreateTicket,
    Envelope,
    EscalationRequested,
    TicketChanged,
)
from contracts.model import Message

_SCHEMAS: Final = "#/components/schemas/"
_TYPES: Final[dict[type[Message], str]] = {
    CreateTicket: CREATE_TICKET,
    TicketChanged: TICKET_CHANGED,
    AttemptJudged: ATTEMPT_JUDGED,
    EscalationRequested: ESCALATION_REQUESTED,
    Acknowledged: ACKNOWLEDGED,
}
# Who receives what: a queue bears the name of the service that works through it, or begins with it.
_RECEIVED: Final[dict[str, tuple[type[Message], ...]]] = {
    TICKETING_QUEUE: (CreateTicket, Acknowledged),
    URGENT_TICKETING_QUEUE: (CreateTicket,),
    KNOWLEDGE_QUEUE: (AttemptJudged, EscalationRequested),
    "bff": (TicketChanged, Acknowledged),
}


def events_document() -> dict[str, Any]:  # an AsyncAPI document is JSON
    """Describe every message, its envelope, and the queue it goes to."""
    models = [(model, "validation") for model in (Envelope, *_TYPES)]
    _, schemas = models_json_schema(models, ref_template=_SCHEMAS + "{model}")  # pyright: ignore[reportArgumentType]  # the mode is one of two literals
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Youju events",
            "version": "1",
            "description": "A message only gains optional fields; receivers keep fields they do not know.",
        },
        "defaultContentType": "application/cloudevents+json",
        "channels": {queue: _channel(queue, models) for queue, models in _RECEIVED.items()},
        "operations": {
            f"{queue}Receives{model.__name__}": _operation(queue, model)
            for queue, models in _RECEIVED.items()
            for model in models
        },
        "components": {
            "messages": {model.__name__: _message(model, name) for model, name in _TYPES.items()},
            "schemas": schemas["$defs"],
        },
    }


def _channel(queue: str, models: tuple[type[Message], ...]) -> dict[str, Any]:  # as above
    messages = {model.__name__: {"$ref": f"#/components/messages/{model.__name__}"} for model in models}
    return {"address": queue, "messages": messages}


def _operation(queue: str, model: type[Message]) -> dict[str, Any]:  # as above
    return {
        "action": "receive",
        "channel": {"$ref": f"#/channels/{queue}"},
        "messages": [{"$ref": f"#/channels/{queue}/messages/{model.__name__}"}],
    }


def _message(model: type[Message], name: str) -> dict[str, Any]:  # as above
    said = {"properties": {"type": {"const": name}, "data": {"$ref": _SCHEMAS + model.__name__}}}
    return {"name": name, "title": model.__name__, "payload": {"allOf": [{"$ref": _SCHEMAS + "Envelope"}, said]}}
