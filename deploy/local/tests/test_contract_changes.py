"""Every kind of change that breaks a client is found, and those that break nobody are not."""

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from youju.contract_changes import breaking_changes, breaking_messages

pytestmark = pytest.mark.unit

Edit = Callable[[dict[str, Any]], object]
PUBLISHED: dict[str, Any] = {
    "paths": {
        "/v1/asks": {
            "post": {
                "parameters": [{"in": "query", "name": "limit", "schema": {"type": "integer", "maximum": 100}}],
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Ask"}}}},
                "responses": {
                    "200": {
                        "headers": {"ETag": {}},
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Answer"}}},
                    },
                    "429": {"content": {"application/problem+json": {"schema": {"type": "object"}}}},
                },
            },
            "get": {"responses": {"200": {}}},
        }
    },
    "components": {
        "schemas": {
            "Ask": {
                "type": "object",
                "required": ["question"],
                "properties": {
                    "question": {"type": "string", "maxLength": 1000},
                    "rating": {"enum": ["GOOD", "BAD"]},
                    "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "facts": {"type": "object", "additionalProperties": {"type": "string"}},
                    "target": {"oneOf": [{"$ref": "#/components/schemas/Delta"}, {"$ref": "#/components/schemas/End"}]},
                },
            },
            "Answer": {
                "type": "object",
                "required": ["status", "text"],
                "properties": {
                    "status": {"type": "string", "enum": ["DONE", "FAILED"]},
                    "text": {"type": "string", "maxLength": 500},
                    "at": {"type": "string", "format": "date-time"},
                    "event": {"oneOf": [{"$ref": "#/components/schemas/Delta"}, {"$ref": "#/components/schemas/End"}]},
                    "next": {"$ref": "#/components/schemas/Answer"},
                },
            },
            "Delta": {"type": "object", "properties": {"event": {"const": "delta"}}},
            "End": {"type": "object", "properties": {"event": {"const": "end"}}},
            "Beat": {"type": "object", "properties": {"event": {"const": "beat"}}},
        }
    },
}


def _ask(document: dict[str, Any]) -> dict[str, Any]:
    return document["components"]["schemas"]["Ask"]


def _answer(document: dict[str, Any]) -> dict[str, Any]:
    return document["components"]["schemas"]["Answer"]


def _post(document: dict[str, Any]) -> dict[str, Any]:
    return document["paths"]["/v1/asks"]["post"]


def _ok(document: dict[str, Any]) -> dict[str, Any]:
    return _post(document)["responses"]["200"]


BREAKS: dict[str, tuple[Edit, str]] = {
    "removed path": (lambda d: d["paths"].clear(), "POST /v1/asks is gone"),
    "removed method": (lambda d: d["paths"]["/v1/asks"].pop("get"), "GET /v1/asks is gone"),
    "removed request field": (lambda d: _ask(d)["properties"].pop("note"), "body.note is gone"),
    "removed response field": (lambda d: _answer(d)["properties"].pop("text"), "200.text is gone"),
    "removed request enum value": (
        lambda d: _ask(d)["properties"].update(rating={"enum": ["GOOD"]}),
        "rating no longer accepts BAD",
    ),
    "added response enum value": (
        lambda d: _answer(d)["properties"]["status"]["enum"].append("LATE"),
        "status may now be LATE",
    ),
    "narrowed request type": (
        lambda d: _ask(d)["properties"].update(note={"type": "string"}),
        "note is no longer accepted as null",
    ),
    "widened response type": (
        lambda d: _answer(d)["properties"].update(text={"type": ["string", "null"], "maxLength": 500}),
        "text may now be null",
    ),
    "new required request field": (lambda d: _ask(d)["required"].append("note"), "body.note is now required"),
    "response field that may be missing": (lambda d: _answer(d)["required"].remove("text"), "text may now be missing"),
    "narrowed request bound": (
        lambda d: _ask(d)["properties"]["question"].update(maxLength=500),
        "maxLength was 1000 and is 500",
    ),
    "new request bound": (lambda d: _ask(d)["properties"]["tags"].update(maxItems=3), "maxItems was None and is 3"),
    "loosened response bound": (
        lambda d: _answer(d)["properties"]["text"].pop("maxLength"),
        "maxLength was 500 and is None",
    ),
    "new request pattern": (
        lambda d: _ask(d)["properties"]["question"].update(pattern="^a"),
        "question: pattern has changed",
    ),
    "new condition on a request": (lambda d: _ask(d).update({"if": {"required": ["note"]}}), "body: if has changed"),
    "request that takes nothing else": (
        lambda d: _ask(d).update(additionalProperties=False),
        "no longer accepts other properties",
    ),
    "changed items": (
        lambda d: _ask(d)["properties"]["tags"].update(items={"type": "integer"}),
        "tags[] is no longer accepted as string",
    ),
    "new kind of event": (
        lambda d: _answer(d)["properties"]["event"]["oneOf"].append({"$ref": "#/components/schemas/Beat"}),
        "event may now be Beat",
    ),
    "new required parameter": (
        lambda d: _post(d)["parameters"].append({"in": "header", "name": "Key", "required": True}),
        "header parameter Key is now required",
    ),
    "parameter that became required": (
        lambda d: _post(d)["parameters"][0].update(required=True),
        "query parameter limit is now required",
    ),
    "removed parameter": (lambda d: _post(d)["parameters"].clear(), "query parameter limit is gone"),
    "narrowed parameter": (
        lambda d: _post(d)["parameters"][0]["schema"].update(maximum=50),
        "maximum was 100 and is 50",
    ),
    "narrowed parameter values": (
        lambda d: _post(d)["parameters"][0]["schema"].update(enum=[10, 20]),
        "limit is now one of 10, 20",
    ),
    "narrowed parameter type": (
        lambda d: _post(d)["parameters"][0]["schema"].update(type="boolean"),
        "limit is no longer accepted as integer",
    ),
    "parameter that moved": (
        lambda d: _post(d)["parameters"][0].update({"in": "header"}),
        "query parameter limit is gone",
    ),
    "changed request format": (
        lambda d: _ask(d)["properties"]["question"].update(format="uri"),
        "question: format has changed",
    ),
    "response format that is gone": (
        lambda d: _answer(d)["properties"]["at"].pop("format"),
        "at: format has changed",
    ),
    "response of any value": (
        lambda d: _answer(d)["properties"]["status"].pop("enum"),
        "status is no longer one of DONE, FAILED",
    ),
    "request alternative that is gone": (
        lambda d: _ask(d)["properties"]["target"]["oneOf"].pop(),
        "target no longer accepts End",
    ),
    "changed values of a map": (
        lambda d: _ask(d)["properties"]["facts"].update(additionalProperties={"type": "integer"}),
        "facts.* is no longer accepted as string",
    ),
    "field of an event that is gone": (
        lambda d: d["components"]["schemas"]["Delta"]["properties"].clear(),
        "event(Delta).event is gone",
    ),
    "body that became required": (lambda d: _post(d)["requestBody"].update(required=True), "a body is now required"),
    "removed request media type": (
        lambda d: _post(d)["requestBody"]["content"].clear(),
        "no longer accepts application/json",
    ),
    "removed response media type": (lambda d: _ok(d)["content"].clear(), "200: application/json is gone"),
    "removed response header": (lambda d: _ok(d)["headers"].clear(), "header ETag is gone"),
    "removed success": (lambda d: _post(d)["responses"].pop("200"), "no longer answers 200"),
    "another success": (lambda d: _post(d)["responses"].update({"202": {}}), "may now answer 202"),
    "new identity": (lambda d: _post(d).update(security=[{"customer": []}]), "now asks for customer"),
}
HARMLESS: dict[str, Edit] = {
    "a new path": lambda d: d["paths"].update({"/v2": {"get": {}}}),
    "a new optional request field": lambda d: _ask(d)["properties"].update(more={"type": "string"}),
    "a new response field": lambda d: _answer(d)["properties"].update(more={"type": "string"}),
    "a new request enum value": lambda d: _ask(d)["properties"].update(rating={"enum": ["GOOD", "BAD", "SO"]}),
    "a response value that is never sent again": lambda d: _answer(d)["properties"]["status"]["enum"].pop(),
    "a wider request bound": lambda d: _ask(d)["properties"]["question"].update(maxLength=2000),
    "a narrower response bound": lambda d: _answer(d)["properties"]["text"].update(maxLength=100),
    "another way in beside the old one": lambda d: _post(d).update(security=[{}, {"customer": []}]),
    "a new documented error": lambda d: _post(d)["responses"].update({"503": {}}),
    "a field that is no longer required": lambda d: _ask(d)["required"].clear(),
    "a new optional parameter": lambda d: _post(d)["parameters"].append({"in": "query", "name": "more"}),
    "other words": lambda d: _ask(d).update(description="Other words."),
    "the same type through a reference": lambda d: (
        d["components"]["schemas"].update(Question=_ask(d)["properties"]["question"]),
        _ask(d)["properties"].update(question={"$ref": "#/components/schemas/Question"}),
    ),
}


@pytest.mark.parametrize("kind", BREAKS)
def test_what_breaks_a_client_is_found(kind: str) -> None:
    edit, said = BREAKS[kind]
    served = deepcopy(PUBLISHED)
    edit(served)

    found = breaking_changes(PUBLISHED, served)

    assert any(said in each for each in found), found


@pytest.mark.parametrize("kind", HARMLESS)
def test_what_breaks_nobody_is_let_through(kind: str) -> None:
    served = deepcopy(PUBLISHED)
    HARMLESS[kind](served)

    assert breaking_changes(PUBLISHED, served) == []


def test_messages_only_gain_optional_fields() -> None:
    served = deepcopy(PUBLISHED)
    _answer(served)["required"].remove("text")
    del served["components"]["schemas"]["Beat"]

    found = breaking_messages(PUBLISHED, served)

    assert found == ["Beat is gone", "Answer.text may now be missing", "Answer.next.text may now be missing"]


@pytest.mark.parametrize("name", ["customer-bff-v1.yaml", "staff-v1.yaml", "events-v1.yaml"])
def test_a_description_breaks_nothing_of_itself(name: str) -> None:
    text = (Path(__file__).parents[3] / "openapi" / name).read_text(encoding="utf-8")
    document: dict[str, Any] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both are safe loaders

    compare = breaking_messages if name.startswith("events") else breaking_changes
    assert compare(document, document) == []
