"""Every field of the customer API says what it means, in which bounds, with an example."""

from collections.abc import Iterator
from typing import Any, cast

import pytest
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from contracts import customer, stream
from contracts.answers import CitedPassage

pytestmark = pytest.mark.unit

Schema = dict[str, Any]  # a JSON schema
BODIES: list[type[BaseModel]] = [
    customer.SessionRequest,
    customer.SessionToken,
    customer.StreamToken,
    customer.Ask,
    customer.Feedback,
    customer.Conversation,
    customer.EscalationRequest,
    customer.Problem,
    customer.Attempt,
    CitedPassage,
    stream.SessionEvent,
    stream.MetadataEvent,
    stream.DeltaEvent,
    stream.HeartbeatEvent,
    stream.CitationEvent,
    stream.CompletedEvent,
    stream.ErrorEvent,
]
BOUNDS = {
    "string": ("maxLength", "format", "enum", "const"),
    "array": ("maxItems",),
    "integer": ("maximum",),
    "object": ("maxProperties", "properties"),
}
_SHOWN = ("examples", "enum", "const")


def schemas() -> dict[str, Schema]:
    models = [(model, "serialization") for model in BODIES]
    _, found = models_json_schema(models)  # pyright: ignore[reportArgumentType]  # the mode is one of two literals
    return found["$defs"]


def branches(schema: Schema) -> Iterator[Schema]:
    for branch in cast("list[Schema]", schema.get("anyOf", [schema])):
        if branch.get("type") != "null":
            yield branch


def missing(schema: Schema) -> list[str]:
    found = [] if "description" in schema else ["description"]
    for branch in branches(schema):
        if "$ref" in branch:
            continue
        kind = branch.get("type", "")
        if kind in BOUNDS and not any(bound in branch for bound in BOUNDS[kind]):
            found.append(BOUNDS[kind][0])
        if kind in {"string", "integer"} and not any(name in {**schema, **branch} for name in _SHOWN):
            found.append("examples")
        for inner in (branch.get("items"), branch.get("additionalProperties")):
            if isinstance(inner, dict):
                found += [f"{each} of what it holds" for each in unbounded(cast("Schema", inner))]
    return found


def unbounded(schema: Schema) -> list[str]:
    kind = schema.get("type", "")
    return [BOUNDS[kind][0]] if kind in BOUNDS and not any(bound in schema for bound in BOUNDS[kind]) else []


def test_every_field_has_a_meaning_a_bound_and_an_example() -> None:
    fields = {
        f"{name}.{field}": missing(schema)
        for name, body in schemas().items()
        for field, schema in body.get("properties", {}).items()
    }

    assert {field: lacking for field, lacking in fields.items() if lacking} == {}
    assert len(fields) > 100


def test_every_body_says_what_it_is() -> None:
    assert [name for name, body in schemas().items() if "description" not in body] == []


def test_a_field_without_meaning_is_seen() -> None:
    assert missing({"type": "array", "items": {"type": "string"}}) == [
        "description",
        "maxItems",
        "maxLength of what it holds",
    ]
    assert missing({"description": "x", "anyOf": [{"type": "integer"}, {"type": "null"}]}) == ["maximum", "examples"]
