"""Write the customer API's contract: what FastAPI cannot know is added here, what it wrongly assumes is removed."""

from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from contracts.stream import (
    CitationEvent,
    CompletedEvent,
    DeltaEvent,
    ErrorEvent,
    HeartbeatEvent,
    MetadataEvent,
    SessionEvent,
)
from runtime import problems, sse
from runtime.descriptions import describe_results

TITLE: Final = "Youju customer API"
VERSION: Final = "1.0.0"
_DESCRIPTION: Final = """\
Ask questions, read checked answers, judge them, ask for a person.

An attempt is streamed as `session → metadata → (delta | heartbeat)* → citation* → completed`, or ends with `error`
after its deltas. The SSE field `event:` names the event and is the property `event` of its schema; `data:` is the
rest of it as JSON; `id:` numbers all but heartbeats and is what `Last-Event-ID` resumes from. `completed` is the only
sign of success. A refusal is a result, never an error; an error is never an answer.
"""
_EVENTS: Final = (
    SessionEvent,
    MetadataEvent,
    DeltaEvent,
    HeartbeatEvent,
    CitationEvent,
    CompletedEvent,
    ErrorEvent,
)
_REFERENCE: Final = "#/components/schemas/{model}"
_STREAMED: Final = {"ask": "200", "retryAttempt": "200", "followAttempt": "200"}

Document = dict[str, Any]  # an OpenAPI document is JSON


def openapi_document(app: FastAPI) -> Document:
    """Write the OpenAPI 3.1 document of an application."""
    document = get_openapi(
        title=TITLE,
        version=VERSION,
        description=_DESCRIPTION,
        routes=app.routes,
        separate_input_output_schemas=False,
    )
    schemas: Document = document["components"]["schemas"]
    schemas.update(_event_schemas())
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    for operation in _operations(document):
        _correct(operation)
    describe_results(document)
    return document


def _event_schemas() -> Document:
    _, definitions = models_json_schema([(event, "serialization") for event in _EVENTS], ref_template=_REFERENCE)
    schemas: Document = definitions["$defs"]
    for event in _EVENTS:
        # The wire always carries the name, which a default would make optional.
        schemas[event.__name__]["required"] = [*schemas[event.__name__].get("required", ()), "event"]
        schemas[event.__name__]["properties"]["event"].pop("default", None)
    references = {event.model_fields["event"].default: _reference(event.__name__) for event in _EVENTS}
    schemas["AttemptEvent"] = {
        "title": "AttemptEvent",
        "description": "One event of an attempt's stream.",
        "oneOf": [{"$ref": reference} for reference in references.values()],
        "discriminator": {"propertyName": "event", "mapping": references},
    }
    return schemas


def _operations(document: Document) -> list[Document]:
    return [operation for path in document["paths"].values() for operation in path.values()]


def _without_null(parameter: Document) -> Document:
    """Describe a parameter that may be missing: it is missing then, and never null."""
    schema: Document = parameter["schema"]
    kinds: list[Document] = [kind for kind in schema.get("anyOf", []) if kind != {"type": "null"}]
    if len(kinds) != 1:
        return parameter
    plain = {name: value for name, value in schema.items() if name != "anyOf"} | kinds[0]
    return {**parameter, "schema": plain}


def _correct(operation: Document) -> None:
    if "parameters" in operation:
        operation["parameters"] = [_without_null(each) for each in operation["parameters"]]
    responses: Document = operation["responses"]
    responses.pop("422", None)
    for status, response in responses.items():
        content: Document = response.get("content", {})
        if content.get("application/json", {}).get("schema", {}).get("$ref") == _reference("Problem"):
            response["content"] = {problems.MEDIA_TYPE: content["application/json"]}
        if status == "429":
            response["headers"] = {"Retry-After": {"description": "Seconds to wait", "schema": {"type": "integer"}}}
    if operation["operationId"] in _STREAMED:
        _add_stream(operation)


def _add_stream(operation: Document) -> None:
    ok: Document = operation["responses"][_STREAMED[operation["operationId"]]]
    if operation["operationId"] == "followAttempt":
        ok["content"] = {}
        ok["description"] = "The events of the attempt"
    ok.setdefault("content", {})[sse.MEDIA_TYPE] = {"schema": {"$ref": _reference("AttemptEvent")}}


def _reference(name: str) -> str:
    return _REFERENCE.format(model=name)
