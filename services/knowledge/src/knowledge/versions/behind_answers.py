"""What differs between two versions besides their documents: the routing policy, and the calibration that was fitted.

Both decide what is answered, and whoever approves a version has to see them change. Comments of a policy decide nothing.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import yaml
from pydantic import JsonValue

from knowledge.versions.differences import FieldChange

# A topic is known by its name, a fact by its key: neither its place in the list nor the others matter.
_NAMES: Final = ("name", "fact")
_LONGEST: Final = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Behind:
    """What a version answers by: its routing policy as it was written, and its calibration."""

    routing_policy: str
    calibration: Mapping[str, JsonValue]


def changed_behind(before: Behind, after: Behind) -> tuple[FieldChange, ...]:
    """List what differs, a leaf each, with dots between its names; of lists only what one side alone holds."""
    policies = (yaml.safe_load(each.routing_policy) for each in (before, after))
    fitted = (each.calibration.get("fitted") for each in (before, after))
    return (*_changes("routing_policy", *policies), *_changes("calibration", *fitted))


def _changes(place: str, before: JsonValue, after: JsonValue) -> Iterator[FieldChange]:
    """Go down where both sides have branches, or one of them has and the other is not there at all."""
    if before == after:
        return
    one, other = _branches(before), _branches(after)
    if one is None or other is None:
        yield FieldChange(field=place, before=_told(before, besides=after), after=_told(after, besides=before))
        return
    for name in dict.fromkeys((*one, *other)):
        yield from _changes(f"{place}.{name}", one.get(name), other.get(name))


def _branches(tree: JsonValue) -> dict[str, JsonValue] | None:
    """Give what a node holds by name: a mapping's entries, those of a list whose entries have names, or nothing."""
    if tree is None:
        return {}
    if isinstance(tree, dict):
        return {str(name): tree[name] for name in tree}
    if not isinstance(tree, list):
        return None
    named = {name: each for each in tree if (name := _name(each)) is not None}
    return named if len(named) == len(tree) else None


def _name(entry: JsonValue) -> str | None:
    names = (entry.get(name) for name in _NAMES) if isinstance(entry, dict) else ()
    return next((str(name) for name in names if name is not None), None)


def _told(value: JsonValue, *, besides: JsonValue) -> str | None:
    """Write a leaf down, of a list what the other side has not; None where there is nothing to say."""
    if value is None:
        return None
    if isinstance(value, list):
        others = besides if isinstance(besides, list) else []
        told = " | ".join(_written(each) for each in value if each not in others)
    else:
        told = _written(value)
    return told if len(told) <= _LONGEST else f"{told[: _LONGEST - 1]}…"


def _written(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
