"""Correct what FastAPI assumes about answers: a result is what its body says it is, and errors are problem documents."""

from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from runtime.problems import MEDIA_TYPE

Document = dict[str, Any]  # an OpenAPI document is JSON

_SCHEMAS: Final = "#/components/schemas/"
_PROBLEM: Final = f"{_SCHEMAS}Problem"
_ASSUMED: Final = "Successful Response"


def openapi_document(app: FastAPI) -> Document:
    """Write the OpenAPI 3.1 document of an application."""
    document = get_openapi(title=app.title, version=app.version, routes=app.routes)
    for unused in ("HTTPValidationError", "ValidationError"):
        document["components"]["schemas"].pop(unused, None)
    for path in document["paths"].values():
        for operation in path.values():
            _correct(operation["responses"])
    describe_results(document)
    return document


def describe_results(document: Document) -> None:
    """Describe every result that its route says nothing of by what its body is: the sentence of the body's schema."""
    for path in document["paths"].values():
        for operation in path.values():
            for response in operation["responses"].values():
                if response["description"] == _ASSUMED:
                    response["description"] = _meaning(response, document["components"]["schemas"]) or _ASSUMED


def _meaning(response: Document, schemas: Document) -> str | None:
    for described in response.get("content", {}).values():
        reference: str = described.get("schema", {}).get("$ref", "")
        said: str = schemas.get(reference.removeprefix(_SCHEMAS), {}).get("description", "")
        if said:
            return said.partition("\n\n")[0].replace("\n", " ")
    return None


def _correct(responses: Document) -> None:
    responses.pop("422", None)
    for response in responses.values():
        # Whatever a route answers with when all is well, FastAPI describes its problems as that too.
        for described in response.get("content", {}).values():
            if described.get("schema", {}).get("$ref") == _PROBLEM:
                response["content"] = {MEDIA_TYPE: described}
