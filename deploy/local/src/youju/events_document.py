"""Describe what is told as it happens: the stream to customers, messages between services, webhooks to and from others.

Source: AsyncAPI 3.0 (channels, messages, operations) and CloudEvents 1.0 (the envelope of messages between services).
"""

from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from contracts.messages import (
    ACKNOWLEDGED,
    ATTEMPT_JUDGED,
    BATCHES,
    CREATE_TICKET,
    CUSTOMER_ERASED,
    ESCALATION_REQUESTED,
    KNOWLEDGE_QUEUE,
    TICKET_CHANGED,
    TICKETING_QUEUE,
    URGENT_TICKETING_QUEUE,
    Acknowledged,
    AttemptJudged,
    CreateTicket,
    CustomerErased,
    Envelope,
    EscalationRequested,
    TicketChanged,
)
from contracts.model import Message
from contracts.stream import (
    CitationEvent,
    CompletedEvent,
    DeltaEvent,
    ErrorEvent,
    HeartbeatEvent,
    MetadataEvent,
    SessionEvent,
)
from contracts.webhooks import NoticeWebhook, TicketMoveWebhook, TicketTaken, TicketWebhook

_SCHEMAS: Final = "#/components/schemas/"
_TYPES: Final[dict[type[Message], str]] = {
    CreateTicket: CREATE_TICKET,
    TicketChanged: TICKET_CHANGED,
    AttemptJudged: ATTEMPT_JUDGED,
    EscalationRequested: ESCALATION_REQUESTED,
    CustomerErased: CUSTOMER_ERASED,
    Acknowledged: ACKNOWLEDGED,
}
# Who receives what: a queue bears the name of the service that works through it, or begins with it.
_RECEIVED: Final[dict[str, tuple[type[Message], ...]]] = {
    TICKETING_QUEUE: (CreateTicket, CustomerErased, Acknowledged),
    URGENT_TICKETING_QUEUE: (CreateTicket,),
    KNOWLEDGE_QUEUE: (AttemptJudged, EscalationRequested, CustomerErased),
    "bff": (TicketChanged, Acknowledged),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """What goes over HTTP: where, which way, what it says."""

    channel: str
    address: str | None
    action: str
    description: str
    models: tuple[type[BaseModel], ...]
    media: str = "application/json"


_EVENTS: Final = (
    SessionEvent,
    MetadataEvent,
    DeltaEvent,
    HeartbeatEvent,
    CitationEvent,
    CompletedEvent,
    ErrorEvent,
)
_TOGETHER: Final = "Several may travel together, as `{batch}`: an array of these (application/cloudevents-batch+json)."
_SIGNED: Final = "Standard Webhooks: signed, a repeat bears the same `webhook-id`."
_TOLD: Final = (
    _Told(
        channel="attempt",
        address="/v1/conversations/{conversationId}/attempts/{attemptId}/events",
        action="send",
        description=(
            "Server-sent events of one attempt: session → metadata → (delta | heartbeat)* → citation* → completed, or "
            "error after the deltas. `event:` is the property `event`, `data:` the rest, `id:` numbers all but heartbeats."
        ),
        models=_EVENTS,
        media="text/event-stream",
    ),
    _Told(
        channel="noticeWebhook",
        address=None,
        action="send",
        description=f"The tenant's own address for notices. {_SIGNED}",
        models=(NoticeWebhook,),
    ),
    _Told(
        channel="helpdeskWebhook",
        address=None,
        action="send",
        description=f"The address of a helpdesk of kind `webhook`, which answers with TicketTaken. {_SIGNED}",
        models=(TicketWebhook,),
    ),
    _Told(
        channel="helpdeskMoves",
        address="/v1/hooks/{tenant}/{helpdesk}",
        action="receive",
        description=f"Where helpdesks tell ticketing what became of a ticket. {_SIGNED}",
        models=(TicketMoveWebhook,),
    ),
)


def events_document() -> dict[str, Any]:  # an AsyncAPI document is JSON
    """Describe every message, its envelope, and where it goes."""
    told = [model for each in _TOLD for model in each.models]
    models = [(model, "validation") for model in (Envelope, *_TYPES, *told, TicketTaken)]
    _, schemas = models_json_schema(models, ref_template=_SCHEMAS + "{model}")  # pyright: ignore[reportArgumentType]  # the mode is one of two literals
    for event in _EVENTS:
        # The wire always carries the name, which a default would make optional.
        schema = schemas["$defs"][event.__name__]
        schema["required"] = [*schema.get("required", ()), "event"]
        schema["properties"]["event"].pop("default", None)
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Youju events",
            "version": "1",
            "description": "A message only gains optional fields; receivers keep fields they do not know.",
        },
        "defaultContentType": "application/cloudevents+json",
        "channels": {queue: _channel(queue, models) for queue, models in _RECEIVED.items()}
        | {each.channel: _http_channel(each) for each in _TOLD},
        "operations": {
            f"{queue}Receives{model.__name__}": _operation(queue, model)
            for queue, models in _RECEIVED.items()
            for model in models
        }
        | {f"{each.action}On{each.channel[0].upper()}{each.channel[1:]}": _http_operation(each) for each in _TOLD},
        "components": {
            "messages": {model.__name__: _message(model, name) for model, name in _TYPES.items()}
            | {model.__name__: _http_message(model, each) for each in _TOLD for model in each.models},
            "schemas": schemas["$defs"],
        },
    }


def _http_channel(told: _Told) -> dict[str, Any]:  # as above
    address = told.address or ""
    names = [part.strip("{}") for part in address.split("/") if part.startswith("{")]
    parameters = {"parameters": {name: {"description": f"As `{name}` of the API"} for name in names}} if names else {}
    return {
        "address": told.address,
        "description": told.description,
        **parameters,
        "messages": {model.__name__: {"$ref": f"#/components/messages/{model.__name__}"} for model in told.models},
    }


def _http_operation(told: _Told) -> dict[str, Any]:  # as above
    return {
        "action": told.action,
        "channel": {"$ref": f"#/channels/{told.channel}"},
        "messages": [{"$ref": f"#/channels/{told.channel}/messages/{model.__name__}"} for model in told.models],
    }


def _http_message(model: type[BaseModel], told: _Told) -> dict[str, Any]:  # as above
    said = " ".join((model.__doc__ or "").split())
    payload = {"$ref": _SCHEMAS + model.__name__}
    return {"name": model.__name__, "title": said, "contentType": told.media, "payload": payload}


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
    described = {"description": _TOGETHER.format(batch=BATCHES[name])} if name in BATCHES else {}
    payload = {"allOf": [{"$ref": _SCHEMAS + "Envelope"}, said]}
    return {"name": name, "title": model.__name__, **described, "payload": payload}
