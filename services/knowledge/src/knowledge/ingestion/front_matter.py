"""The YAML between two lines of `---` at the top of a file."""

import re
from itertools import chain
from typing import Any, Final

import yaml

from knowledge.ingestion.characters import find_control
from knowledge.ingestion.problems import Problem, ProblemCode

_FENCED: Final = re.compile(r"---[ \t]*\n(?P<yaml>.*?\n)??(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD: Final = "front matter"
_LONGEST: Final = 50_000
# The parser in C is ten times as fast; a wheel without it has the same in Python.
_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def split_front_matter(text: str) -> tuple[str | None, str]:
    """Cut a text into its front matter, None when it has none, and its body. Lines end with line feeds."""
    fenced = _FENCED.match(text)
    return (fenced.group("yaml") or "", text[fenced.end() :]) if fenced else (None, text)


def read_front_matter(path: str, text: str) -> dict[str, object] | Problem:
    """Read front matter as plain keys; every scalar stays the text that was written.

    Errors: as a Problem when it is no YAML, no mapping, or says a key twice.
    """
    if len(text) > _LONGEST:
        sentence = f"The front matter has {len(text)} characters; the limit is {_LONGEST}."
        return Problem(path, _FIELD, ProblemCode.TOO_LARGE, sentence)
    try:
        return _read(path, text)
    except yaml.YAMLError as broken:
        return _broken(path, broken)
    except RecursionError:
        return Problem(path, _FIELD, ProblemCode.FRONT_MATTER, "The front matter is nested too deeply.")


def _read(path: str, text: str) -> dict[str, object] | Problem:
    node: Any = yaml.compose(text, Loader=_LOADER)  # PyYAML's nodes are loosely typed
    if not isinstance(node, yaml.MappingNode):
        return Problem(path, _FIELD, ProblemCode.FRONT_MATTER, "The front matter is not a list of `key: value` lines.")
    if any(not isinstance(key, yaml.ScalarNode) for key, _ in node.value):
        return Problem(path, _FIELD, ProblemCode.FRONT_MATTER, "The front matter has a key that is no text.")
    if control := _find_control(node, set()):
        sentence = f"The front matter holds the control character {control}."
        return Problem(path, _FIELD, ProblemCode.CONTROL_CHARACTER, sentence)
    keys = [str(key.value) for key, _ in node.value]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        return Problem(path, twice[0], ProblemCode.FRONT_MATTER, f"The front matter says {twice[0]} more than once.")
    if all(isinstance(value, yaml.ScalarNode) for _, value in node.value):
        return {str(key.value): value.value for key, value in node.value}
    # Made by the loader itself, which knows how to refuse a list that holds itself.
    return dict(yaml.BaseLoader("").construct_document(node))


def _find_control(node: Any, seen: set[int]) -> str | None:  # as above
    """Find what the file itself may not hold and YAML lets one write as an escape."""
    if id(node) in seen:
        return None
    seen.add(id(node))
    if isinstance(node, yaml.ScalarNode):
        return find_control(str(node.value))
    parts: list[Any] = list(chain(*node.value)) if isinstance(node, yaml.MappingNode) else node.value
    return next((control for part in parts if (control := _find_control(part, seen))), None)


def _broken(path: str, broken: yaml.YAMLError) -> Problem:
    mark = getattr(broken, "problem_mark", None)
    # The fence is the first line of the file, and marks count from zero.
    place = f"line {mark.line + 2}: " if mark else ""
    cause = getattr(broken, "problem", None) or "it cannot be read"
    return Problem(path, _FIELD, ProblemCode.FRONT_MATTER, f"The front matter is not YAML, {place}{cause}.")
