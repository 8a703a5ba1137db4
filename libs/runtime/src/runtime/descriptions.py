"""Correct what FastAPI assumes about errors: they are problem documents, and a bad request is a 400."""

from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from runtime.problems import MEDIA_TYPE

Document = dict[str, Any]  # an OpenAPI document is JSON

_PROBLEM: Final = "#/components/schemas/Problem"


def openapi_document(app: FastAPI) -> Document:
    """Write the OpenAPI 3.1 document of an application."""
    document = get_openapi(title=app.title, version=app.version, routes=app.routes)
    for unused in ("HTTPValidationError", "ValidationError"):
        document["components"]["schemas"].pop(unused, None)
    for path in document["paths"].values():
        for operation in path.values():
            _correct(operation["responses"])
    return document


def _correct(responses: Document) -> None:
    responses.pop("422", None)
    for response in responses.values():
        # Whatever a route answers with when all is well, FastAPI describes its problems as that too.
        for described in response.get("content", {}).values():
            if described.get("schema", {}).get("$ref") == _PROBLEM:
                response["content"] = {MEDIA_TYPE: described}
