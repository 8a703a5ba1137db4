"""Put the staff paths of all services into one description, and take them out of their own."""

import copy
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

Document = dict[str, Any]  # an OpenAPI document is JSON

STAFF: Final = "/v1/staff/"
_SCHEMA: Final = "#/components/schemas/"


class ClashingSchemasError(Exception):
    """Two services describe different things under one name."""


def staff_document(documents: Mapping[str, Document], addresses: Mapping[str, str]) -> Document:
    """Join the staff paths of the services, each with the local address of the service that serves it.

    Errors: ClashingSchemasError when two services use one name for different schemas.
    """
    paths: Document = {}
    components: Document = {}
    for service, document in documents.items():
        for path, item in _paths(document, staff=True):
            paths[path] = {"servers": [{"url": addresses[service], "description": service}], **_corrected(item)}
        _join(components, document.get("components", {}))
    joined = {"openapi": "3.1.0", "info": {"title": "Youju staff", "version": "1"}, "paths": paths}
    return _pruned({**joined, "components": components})


def without_staff(document: Document) -> Document:
    """Give a service's description without its staff paths and what only they need."""
    return _pruned({**document, "paths": dict(_paths(document, staff=False))})


def _paths(document: Document, *, staff: bool) -> Iterator[tuple[str, Document]]:
    for path, item in document["paths"].items():
        if path.startswith(STAFF) == staff:
            yield path, item


def _corrected(item: Document) -> Document:
    """Leave out what FastAPI assumes: a bad request is a 400 everywhere, never a 422."""
    corrected = copy.deepcopy(item)
    for operation in corrected.values():
        operation.get("responses", {}).pop("422", None)
    return corrected


def _join(components: Document, more: Document) -> None:
    for kind, named in more.items():
        known = components.setdefault(kind, {})
        for name, described in named.items():
            if kind == "schemas" and known.get(name, described) != described:
                raise ClashingSchemasError(f"{name} means different things in two services.")
            known.setdefault(name, described)


def _pruned(document: Document) -> Document:
    """Leave out schemas that no path leads to, and schemes of identity that no path uses."""
    components: Document = document.get("components", {})
    schemas: Document = components.get("schemas", {})
    needed = _reached(document["paths"], schemas)
    schemes = set(_keys_of(document["paths"], "security"))
    kept = {
        "schemas": {name: schemas[name] for name in sorted(needed)},
        "securitySchemes": {
            name: described for name, described in components.get("securitySchemes", {}).items() if name in schemes
        },
    }
    return {**document, "components": {kind: named for kind, named in kept.items() if named}}


def _reached(start: object, schemas: Document) -> set[str]:
    reached: set[str] = set()
    waiting = list(_references(start))
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += _references(schemas[name])
    return reached


def _references(value: object) -> Iterable[str]:
    if isinstance(value, dict):
        for key, held in value.items():  # pyright: ignore[reportUnknownVariableType]  # JSON
            if key == "$ref" and isinstance(held, str) and held.startswith(_SCHEMA):
                yield held.removeprefix(_SCHEMA)
            else:
                yield from _references(held)  # pyright: ignore[reportUnknownArgumentType]  # JSON
    elif isinstance(value, list):
        for held in value:  # pyright: ignore[reportUnknownVariableType]  # JSON
            yield from _references(held)  # pyright: ignore[reportUnknownArgumentType]  # JSON


def _keys_of(paths: Document, field: str) -> Iterator[str]:
    for item in paths.values():
        for operation in item.values():
            if isinstance(operation, dict):
                for each in operation.get(field, ()):  # pyright: ignore[reportUnknownVariableType]  # JSON
                    yield from each
