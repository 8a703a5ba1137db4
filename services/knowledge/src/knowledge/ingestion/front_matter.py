"""The YAML between two lines of `---` at the top of a file."""

import re
from typing import Any, Final

import yaml

from knowledge.ingestion.characters import find_control
from knowledge.ingestion.problems import Problem, ProblemCode

_FENCED: Final = re.compile(r"---[ \t]*\n(?P<yaml>.*?\n)??(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD: Final = "front matter"
_LONGEST: Final = 50_000


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
    node: Any = yaml.compose(text, Loader=yaml.BaseLoader)  # PyYAML's nodes are loosely typed
    if not isinstance(node, yaml.MappingNode):
        return Problem(path, _FIELD, ProblemCode.FRONT_MATTER, "The front matter is not a list of `key: value` lines.")
    if control := _escaped_control(text):
        sentence = f"The front matter holds the control character {control}."
        return Problem(path, _FIELD, ProblemCode.CONTROL_CHARACTER, sentence)
    keys = [str(key.value) for key, _ in node.value]
    twice = sorted({key for key in keys if keys.count(key) > 1})
    if twice:
        return Problem(path, twice[0], ProblemCode.FRONT_MATTER, f"The front matter says {twice[0]} more than once.")
    return dict(yaml.load(text, Loader=yaml.BaseLoader))  # noqa: S506 - the base loader makes texts and nothing else


def _escaped_control(text: str) -> str | None:
    """Find what the file itself may not hold and YAML lets one write as an escape."""
    scalars = (token.value for token in yaml.scan(text) if isinstance(token, yaml.ScalarToken))
    return next((control for scalar in scalars if (control := find_control(scalar))), None)


def _broken(path: str, broken: yaml.YAMLError) -> Problem:
    mark = getattr(broken, "problem_mark", None)
    # The fence is the first line of the file, and marks count from zero.
    place = f"line {mark.line + 2}: " if mark else ""
    cause = getattr(broken, "problem", None) or "it cannot be read"
    return Problem(path, _FIELD, ProblemCode.FRONT_MATTER, f"The front matter is not YAML, {place}{cause}.")
