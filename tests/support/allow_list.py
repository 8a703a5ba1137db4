"""Hold every answer of the customer API to its contract, and look for what no customer may read."""

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

import httpx
import yaml
from httpx_sse import EventSource, ServerSentEvent

CHECKOUT: Final = Path(__file__).resolve().parents[2]
Json = Any  # what a body may hold
Schema = Mapping[str, Any]  # a JSON schema

CONTRACT: Final[dict[str, Json]] = yaml.safe_load(
    (CHECKOUT / "openapi" / "customer-bff-v1.yaml").read_text(encoding="utf-8")
)
_EVENT: Final = {"$ref": "#/components/schemas/AttemptEvent"}
_KINDS: Final[dict[str, type | tuple[type, ...]]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}
# Stack traces, SQL, paths of this machine, packages behind the service, and bare ids of rows.
_NEVER: Final = re.compile(
    r"Traceback|File \"|\.py\b|site-packages|psycopg|sqlalchemy|pydantic|/internal/|"
    r"\bSELECT\b|\bINSERT INTO\b|\bUPDATE \w+ SET\b|"
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|" + re.escape(str(CHECKOUT))
)
_BARE_ID: Final = re.compile(r"(?<![0-9a-f])(?<!att_)(?<!cnv_)(?<!esc_)[0-9a-f]{32}(?![0-9a-f])")
# A trace has a number of its own; a token and a tag are opaque.
_OWN_FORM: Final = frozenset({"traceId", "token", "etag"})


@dataclass
class Taken:
    """One answer as it went over the wire."""

    method: str
    path: str
    status: int
    headers: dict[str, str]
    body: bytearray = field(default_factory=bytearray)

    @property
    def media(self) -> str:
        """Give the media type without its parameters."""
        return self.headers.get("content-type", "").partition(";")[0]

    @property
    def operation(self) -> tuple[str, str] | None:
        """Name the method and path of the contract that were called."""
        for template, methods in CONTRACT["paths"].items():
            pattern = re.sub(r"\{\w+\}", "[^/]+", template)
            if re.fullmatch(pattern, self.path) and self.method.lower() in methods:
                return self.method, template
        return None

    def documents(self) -> Iterator[tuple[Json, Schema | None]]:
        """Give each JSON document of the body with its schema: one, or one an event of a stream."""
        response = _response_of(self)
        content: Json = {} if response is None else response.get("content", {})
        if self.media == "text/event-stream":
            yield from (({"event": event.event, **json.loads(event.data)}, _EVENT) for event in _events(self.body))
        elif self.body:
            yield json.loads(self.body), content.get(self.media, {}).get("schema")


class Recorder(httpx.AsyncHTTPTransport):
    """A transport that keeps a copy of every answer."""

    def __init__(self) -> None:
        """Begin with nothing taken."""
        super().__init__()
        self.taken: list[Taken] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Pass the request on and copy what comes back while it is read."""
        response = await super().handle_async_request(request)
        taken = Taken(request.method, request.url.path, response.status_code, dict(response.headers))
        self.taken.append(taken)
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = _Copied(response.stream, taken.body)
        return response


class _Copied(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream, copy: bytearray) -> None:
        self._stream = stream
        self._copy = copy

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self._copy.extend(chunk)
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


def leaks(taken: Taken, planted: tuple[str, ...] = ()) -> list[str]:
    """Say what of an answer is not in the contract, or is none of the customer's business."""
    place = f"{taken.method} {taken.path} {taken.status}"
    if taken.operation is not None and _response_of(taken) is None:
        return [f"{place} is no status of the contract"]
    found: list[str] = []
    for document, schema in taken.documents():
        found += [f"{place} has no schema"] if schema is None else shape_faults(document, schema, place)
        found += said_faults(document, place, planted)
    return found + said_faults(taken.headers, f"{place} headers", planted)


def shape_faults(value: Json, schema: Schema, place: str) -> list[str]:
    """Say which fields of a value its schema does not know or misses, down to the last one."""
    schema = _followed(schema)
    branches = cast("list[Schema]", schema.get("oneOf") or schema.get("anyOf") or [])
    if "discriminator" in schema:
        reference = schema["discriminator"]["mapping"].get(value.get("event"))
        return [f"{place}: no such event"] if reference is None else shape_faults(value, {"$ref": reference}, place)
    if branches:
        tried = [shape_faults(value, branch, place) for branch in branches]
        return min(tried, key=len)
    if "type" in schema and not isinstance(value, _KINDS[schema["type"]]):
        return [f"{place} is no {schema['type']}", *([place] * 50)]  # so that a branch of its own type is chosen
    if isinstance(value, dict):
        return _property_faults(cast("dict[str, Json]", value), schema, place)
    if isinstance(value, list):
        items = enumerate(cast("list[Json]", value))
        return [fault for n, item in items for fault in shape_faults(item, schema.get("items", {}), f"{place}[{n}]")]
    return []


def said_faults(value: Json, place: str, planted: tuple[str, ...]) -> list[str]:
    """Say where a value, or anything in it, tells what no customer may read."""
    if isinstance(value, dict):
        parts = cast("dict[str, Json]", value).items()
        found = [f for key, part in parts if key not in _OWN_FORM for f in said_faults(part, f"{place}.{key}", planted)]
        return found + [fault for key in cast("dict[str, Json]", value) for fault in said_faults(key, place, planted)]
    if isinstance(value, list):
        parts = enumerate(cast("list[Json]", value))
        return [fault for n, part in parts for fault in said_faults(part, f"{place}[{n}]", planted)]
    said = str(value)
    if _NEVER.search(said) or _BARE_ID.search(said) or any(secret in said for secret in planted):
        return [f"{place} says {said!r}"]
    return []


def _property_faults(value: dict[str, Json], schema: Schema, place: str) -> list[str]:
    known, rest = schema.get("properties", {}), schema.get("additionalProperties", False)
    found = [f"{place} misses {name}" for name in schema.get("required", ()) if name not in value]
    for name, part in value.items():
        if name in known:
            found += shape_faults(part, known[name], f"{place}.{name}")
        elif isinstance(rest, dict):
            found += shape_faults(part, cast("Schema", rest), f"{place}.{name}")
        else:
            found.append(f"{place}.{name} is not in the contract")
    return found


def _followed(schema: Schema) -> Schema:
    while "$ref" in schema:
        schema = CONTRACT["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
    return schema


def _response_of(taken: Taken) -> Json:
    if taken.operation is None:
        # A path of no operation is answered with a problem all the same.
        problem = {"schema": {"$ref": "#/components/schemas/Problem"}}
        return {"content": {"application/problem+json": problem}}
    method, template = taken.operation
    return CONTRACT["paths"][template][method.lower()]["responses"].get(str(taken.status))


def _events(body: bytearray) -> Iterator[ServerSentEvent]:
    answer = httpx.Response(200, headers={"content-type": "text/event-stream"}, content=bytes(body))
    return EventSource(answer).iter_sse()
