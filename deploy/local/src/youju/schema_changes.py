"""Find what breaks a client when a JSON schema changes: what it sends may not be narrowed, what it receives not loosened."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

Schema = Mapping[str, Any]  # any JSON schema
Direction = Literal["sent", "received"]
Resolve = Callable[[str], Schema]
"""Gives the schema behind a `$ref`."""

_UPPER: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_LOWER: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
# What cannot be ordered must stay as it is.
_OPAQUE: Final = ("pattern", "format", "multipleOf", "uniqueItems", "if", "then", "else", "not", "dependentRequired")
_ANY: Final = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})


@dataclass(frozen=True, slots=True)
class Side:
    """A schema and where its references lead: the published side or the new one."""

    schema: Schema
    resolve: Resolve

    def at(self, schema: Schema) -> "Side":
        """Look at a part of it."""
        return Side(schema, self.resolve)


def schema_breaks(
    old: Side, new: Side, direction: Direction, place: str, *, seen: frozenset[str] = frozenset()
) -> Iterator[str]:
    """Give a sentence for every change that breaks; a schema that contains itself is looked into once."""
    reference = str(old.schema.get("$ref", ""))
    if reference and reference in seen:
        return
    seen = seen | {reference} if reference else seen
    before, after = _flat(old), _flat(new)
    yield from _type_breaks(before, after, direction, place)
    yield from _value_breaks(before, after, direction, place)
    yield from _bound_breaks(before, after, direction, place)
    yield from _property_breaks(before, after, direction, place)
    for name, one, other in _parts(old.at(before), new.at(after)):
        yield from schema_breaks(one, other, direction, f"{place}{name}", seen=seen)
    yield from _branch_breaks(old.at(before), new.at(after), direction, place, seen)


def _flat(side: Side) -> Schema:
    """Follow references, join `allOf`, and write `anyOf` with null as a list of types."""
    schema = dict(side.schema)
    while "$ref" in schema:
        followed = dict(side.resolve(str(schema.pop("$ref"))))
        schema = followed | schema
    for part in cast("list[Schema]", schema.pop("allOf", [])):
        schema = _joined(schema, _flat(side.at(part)))
    branches = cast("list[Schema]", schema.get("anyOf") or schema.get("oneOf") or [])
    real = [branch for branch in branches if branch.get("type") != "null"]
    if len(real) == 1:
        schema = {key: value for key, value in schema.items() if key not in {"anyOf", "oneOf"}} | dict(
            _flat(side.at(real[0]))
        )
        if len(branches) > 1:
            schema["type"] = [*_listed(schema), "null"]
    return schema


def _joined(one: Schema, other: Schema) -> dict[str, Any]:  # any JSON schema
    joined = {**one, **other}
    joined["properties"] = {**one.get("properties", {}), **other.get("properties", {})}
    joined["required"] = sorted({*one.get("required", ()), *other.get("required", ())})
    return joined


def _listed(schema: Schema) -> list[str]:
    kind = schema.get("type", sorted(_ANY))
    return [kind] if isinstance(kind, str) else list(kind)


def _types(schema: Schema) -> frozenset[str]:
    if "const" in schema or "enum" in schema or "anyOf" in schema or "oneOf" in schema:
        return frozenset(_listed(schema)) if "type" in schema else _ANY
    kinds = frozenset(_listed(schema))
    return kinds | {"integer"} if "number" in kinds else kinds


def _type_breaks(old: Schema, new: Schema, direction: Direction, place: str) -> Iterator[str]:
    if direction == "sent" and (lost := _types(old) - _types(new)):
        yield f"{place} is no longer accepted as {', '.join(sorted(lost))}"
    if direction == "received" and (gained := _types(new) - _types(old)):
        yield f"{place} may now be {', '.join(sorted(gained))}"


def _value_breaks(old: Schema, new: Schema, direction: Direction, place: str) -> Iterator[str]:
    before, after = _values(old), _values(new)
    narrow, wide = (after, before) if direction == "sent" else (before, after)
    if narrow is None:
        return
    if wide is None:
        yield f"{place} is {'now' if direction == 'sent' else 'no longer'} one of {', '.join(narrow)}"
    elif other := [each for each in wide if each not in narrow]:
        yield f"{place} {'no longer accepts' if direction == 'sent' else 'may now be'} {', '.join(other)}"


def _values(schema: Schema) -> list[str] | None:
    found = [schema["const"]] if "const" in schema else schema.get("enum")
    return None if found is None else [str(each) for each in found]


def _bound_breaks(old: Schema, new: Schema, direction: Direction, place: str) -> Iterator[str]:
    # What a client sends meets the new bound, what it receives is held by the old one.
    strict, free = (new, old) if direction == "sent" else (old, new)
    for name in (*_UPPER, *_LOWER):
        limit, other = strict.get(name), free.get(name)
        is_upper = name in _UPPER
        if limit is not None and (other is None or (other > limit if is_upper else other < limit)):
            yield f"{place}: {name} was {old.get(name)} and is {new.get(name)}"
    for name in _OPAQUE:
        if strict.get(name) is not None and old.get(name) != new.get(name):
            yield f"{place}: {name} has changed"


def _property_breaks(old: Schema, new: Schema, direction: Direction, place: str) -> Iterator[str]:
    for name in sorted(set(old.get("properties", ())) - set(new.get("properties", ()))):
        yield f"{place}.{name} is gone"
    before, after = set(old.get("required", ())), set(new.get("required", ()))
    if direction == "sent":
        yield from (f"{place}.{name} is now required" for name in sorted(after - before))
        if old.get("additionalProperties") is not False and new.get("additionalProperties") is False:
            yield f"{place} no longer accepts other properties"
    else:
        kept = set(new.get("properties", ()))
        yield from (f"{place}.{name} may now be missing" for name in sorted((before - after) & kept))


def _parts(old: Side, new: Side) -> Iterator[tuple[str, Side, Side]]:
    before, after = old.schema.get("properties", {}), new.schema.get("properties", {})
    for name in before:
        if name in after:
            yield f".{name}", old.at(before[name]), new.at(after[name])
    for key, shown in (("items", "[]"), ("additionalProperties", ".*")):
        one, other = old.schema.get(key), new.schema.get(key)
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            yield shown, old.at(cast("Schema", one)), new.at(cast("Schema", other))


def _branch_breaks(old: Side, new: Side, direction: Direction, place: str, seen: frozenset[str]) -> Iterator[str]:
    before, after = _branches(old), _branches(new)
    lost, gained = sorted(set(before) - set(after)), sorted(set(after) - set(before))
    if direction == "sent" and before:
        yield from (f"{place} no longer accepts {name}" for name in lost)
    if direction == "received" and before:
        yield from (f"{place} may now be {name}" for name in gained)
    for name in before:
        if name in after:
            yield from schema_breaks(before[name], after[name], direction, f"{place}({name})", seen=seen)


def _branches(side: Side) -> dict[str, Side]:
    found = cast("list[Schema]", side.schema.get("anyOf") or side.schema.get("oneOf") or [])
    return {_name(branch, number): side.at(branch) for number, branch in enumerate(found)}


def _name(branch: Schema, number: int) -> str:
    named = branch.get("$ref") or branch.get("title") or branch.get("const") or branch.get("type") or number
    return str(named).rsplit("/", 1)[-1]
