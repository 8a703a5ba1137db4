"""Find what breaks a client between a published API description and the one that is served now."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from youju.schema_changes import Resolve, Schema, Side, schema_breaks

Document = Mapping[str, Any]  # an OpenAPI 3.1 or AsyncAPI 3 document
_METHODS: Final = ("get", "put", "post", "delete", "patch", "head", "options")


def breaking_changes(published: Document, served: Document) -> list[str]:
    """Give a sentence for every change of an OpenAPI description that may break a client of the published one."""
    return list(dict.fromkeys(_path_breaks(published, served)))


def breaking_messages(published: Document, served: Document) -> list[str]:
    """Give a sentence for every change of a message that may break a receiver of the published one."""
    before, after = _schemas(published), _schemas(served)
    found = [f"{name} is gone" for name in before if name not in after]
    for name in before:
        if name in after:
            old, new = Side(before[name], _resolver(published)), Side(after[name], _resolver(served))
            found += schema_breaks(old, new, "received", name)
    return list(dict.fromkeys(found))


def _path_breaks(published: Document, served: Document) -> Iterator[str]:
    for path, item in published.get("paths", {}).items():
        for method in (each for each in _METHODS if each in item):
            place = f"{method.upper()} {path}"
            new = served.get("paths", {}).get(path, {}).get(method)
            if new is None:
                yield f"{place} is gone"
            else:
                yield from _operation_breaks(
                    Side(item[method], _resolver(published)), Side(new, _resolver(served)), place
                )


def _operation_breaks(old: Side, new: Side, place: str) -> Iterator[str]:
    yield from _parameter_breaks(old, new, place)
    yield from _body_breaks(old, new, place)
    yield from _response_breaks(old, new, place)
    yield from _identity_breaks(old, new, place)


def _identity_breaks(old: Side, new: Side, place: str) -> Iterator[str]:
    """Compare who may call: the entries are alternatives, and each needs all it names."""
    before, after = _identities(old), _identities(new)
    for identity in before:
        if not any(other <= identity for other in after):
            yield f"{place} now asks for {' or '.join(', '.join(sorted(other)) for other in after)}"


def _identities(side: Side) -> list[frozenset[str]]:
    return [frozenset(each) for each in side.schema.get("security", [])] or [frozenset()]


def _parameter_breaks(old: Side, new: Side, place: str) -> Iterator[str]:
    before, after = _parameters(old), _parameters(new)
    for name, parameter in before.items():
        if name not in after:
            yield f"{place}: {name} is gone"
            continue
        if after[name].get("required") and not parameter.get("required"):
            yield f"{place}: {name} is now required"
        yield from schema_breaks(
            old.at(parameter.get("schema", {})), new.at(after[name].get("schema", {})), "sent", f"{place}: {name}"
        )
    for name in after:
        if name not in before and after[name].get("required"):
            yield f"{place}: {name} is now required"


def _parameters(side: Side) -> dict[str, Schema]:
    return {f"{each['in']} parameter {each['name']}": each for each in side.schema.get("parameters", [])}


def _body_breaks(old: Side, new: Side, place: str) -> Iterator[str]:
    before, after = old.schema.get("requestBody", {}), new.schema.get("requestBody", {})
    if after.get("required") and not before.get("required"):
        yield f"{place}: a body is now required"
    for media, content in before.get("content", {}).items():
        if media not in after.get("content", {}):
            yield f"{place} no longer accepts {media}"
            continue
        one, other = old.at(content.get("schema", {})), new.at(after["content"][media].get("schema", {}))
        yield from schema_breaks(one, other, "sent", f"{place}: body")


def _response_breaks(old: Side, new: Side, place: str) -> Iterator[str]:
    """Compare what is answered. An error that is documented additionally breaks nobody: clients must expect any."""
    before, after = old.schema.get("responses", {}), new.schema.get("responses", {})
    yield from (
        f"{place} may now answer {status}" for status in after if status not in before and status.startswith("2")
    )
    for status, response in before.items():
        if status not in after:
            yield f"{place} no longer answers {status}"
            continue
        for name in response.get("headers", {}):
            if name not in after[status].get("headers", {}):
                yield f"{place} {status}: header {name} is gone"
        for media, content in response.get("content", {}).items():
            if media not in after[status].get("content", {}):
                yield f"{place} {status}: {media} is gone"
                continue
            one = old.at(content.get("schema", {}))
            other = new.at(after[status]["content"][media].get("schema", {}))
            yield from schema_breaks(one, other, "received", f"{place} {status}")


def _schemas(document: Document) -> dict[str, Schema]:
    return dict(document.get("components", {}).get("schemas", {}))


def _resolver(document: Document) -> Resolve:
    def resolve(reference: str) -> Schema:
        found: Any = document  # walks down a parsed document
        for step in reference.removeprefix("#/").split("/"):
            found = found[step.replace("~1", "/").replace("~0", "~")]
        return cast("Schema", found)

    return resolve
