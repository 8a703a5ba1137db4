"""Every service says of each parameter what it is, and of each answer what it means; nothing is left to the framework."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Final

import pytest

from youju.openapi import served_documents
from youju.staff_openapi import Document, staff_document

pytestmark = pytest.mark.unit

_SERVICES: Final = ("bff", "knowledge", "ticketing")
_ALWAYS: Final = {"400", "500", "503"}
_PROBLEM: Final = "application/problem+json"
_PHRASES: Final = {"Successful Response", "Response", *(status.phrase for status in HTTPStatus)}
# What shows by itself which values there are.
_SHOWN: Final = ("enum", "const", "default", "examples", "example")


@pytest.fixture(scope="module")
def documents() -> dict[str, Document]:
    served = served_documents()
    return {**served, "staff": staff_document(served, dict.fromkeys(served, "http://localhost"))}


def operations(document: Document) -> Iterator[tuple[str, Document]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method != "servers":
                yield f"{method.upper()} {path}", operation


def branches(schema: Document) -> list[Document]:
    return [branch for branch in schema.get("anyOf", [schema]) if branch.get("type") != "null"]


def missing(parameter: Document) -> list[str]:
    schema: Document = parameter["schema"]
    said = parameter.get("description", "")
    found = [] if len(said.split()) > 2 else ["description"]
    places = [parameter, schema, *branches(schema)]
    is_clear = any(branch.get("type") == "boolean" or "$ref" in branch for branch in branches(schema))
    return found if is_clear or any(name in place for place in places for name in _SHOWN) else [*found, "example"]


def lacking(document: Document) -> dict[str, object]:
    """Name what a description leaves unsaid, by call."""
    found: dict[str, object] = {}
    for call, operation in operations(document):
        for parameter in operation.get("parameters", []):
            if faults := missing(parameter):
                found[f"{call}: {parameter['name']}"] = faults
        responses: Document = operation["responses"]
        found |= {
            f"{call}: {status}": "meaning" for status, each in responses.items() if each["description"] in _PHRASES
        }
        found |= {
            f"{call}: {status}": "no problem document"
            for status, each in responses.items()
            if status >= "400" and set(each.get("content", {})) != {_PROBLEM}
        }
        if unsaid := _ALWAYS - set(responses) | ({"422"} & set(responses)):
            found[f"{call}: responses"] = sorted(unsaid)
    return found


@pytest.mark.parametrize("name", [*_SERVICES, "staff"])
def test_every_parameter_and_every_answer_is_described(documents: dict[str, Document], name: str) -> None:
    assert lacking(documents[name]) == {}
    assert len(list(operations(documents[name]))) > 2


def test_every_call_of_staff_may_be_refused_for_identity_and_role(documents: dict[str, Document]) -> None:
    calls = dict(operations(documents["staff"]))

    assert [call for call, each in calls.items() if not {"401", "403"} <= set(each["responses"])] == []


def test_what_is_left_unsaid_is_seen() -> None:
    fine: dict[str, Any] = {  # an OpenAPI document is JSON
        "parameters": [
            {"name": "limit", "description": "How many at most", "schema": {"type": "integer", "default": 50}}
        ],
        "responses": {"200": {"description": "A page of things"}}
        | {status: {"description": "Why not", "content": {_PROBLEM: {}}} for status in _ALWAYS},
    }
    bare: dict[str, Any] = {  # as above
        "parameters": [
            {"name": "cursor", "schema": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
            {"name": "slug", "description": "The slug", "schema": {"type": "string"}},
        ],
        "responses": {
            "200": {"description": "Successful Response"},
            "404": {"description": "Not Found", "content": {_PROBLEM: {}}},
            "503": {"description": "Try again shortly", "content": {"application/json": {}}},
        },
    }

    assert lacking({"paths": {"/fine": {"get": fine}}}) == {}
    assert lacking({"paths": {"/bare": {"get": bare}}}) == {
        "GET /bare: cursor": ["description", "example"],
        "GET /bare: slug": ["description", "example"],
        "GET /bare: 200": "meaning",
        "GET /bare: 404": "meaning",
        "GET /bare: 503": "no problem document",
        "GET /bare: responses": ["400", "500"],
    }
