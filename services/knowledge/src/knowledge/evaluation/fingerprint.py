"""Names the settings an answer depends on besides the documents: what a result was measured with, and is valid for.

Each setting has a digest of its own, so that a difference can be told by name.
"""

import ast
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from knowledge.answering.prompting import PROMPT_VERSION
from knowledge.answering.templates import TEMPLATES
from knowledge.ingestion.analyser import ANALYSER
from knowledge.ingestion.importing import READER
from knowledge.ingestion.splitting import SPLITTER
from knowledge.retrieval.searching import Serving
from knowledge.versions.calibration import Calibration
from knowledge.versions.routing_policy import RoutingPolicy
from personal_data.masking import MASKER

_DIGITS: Final = 16
_PATH: Final = "asking.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """What the installed code decides with; the same for every version and tenant of an installation."""

    prompt: str
    templates: tuple[str, ...]
    reader: str
    splitter: str
    analyser: str
    masker: str
    validator: str
    answering: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything behind an answer but the documents. `embedder` and `writer` are identities, the writer's with its model.

    `second_opinion` names the model that is asked about claims that code cannot decide; empty where none is.
    """

    code: Code
    embedder: str
    writer: str
    second_opinion: str
    routing_policy: RoutingPolicy
    calibration: Calibration


@cache
def installed_code() -> Code:
    """Say what this process has installed. Repeat: computed once a process."""
    return Code(
        prompt=PROMPT_VERSION,
        templates=tuple(sorted(TEMPLATES)),
        reader=READER,
        splitter=SPLITTER,
        analyser=ANALYSER,
        masker=MASKER,
        validator=build_of("knowledge.validation"),
        answering="/".join(build_of(f"knowledge.{room}") for room in ("answering", "retrieval")),
        path=_build(((_PATH, files("knowledge").joinpath(_PATH).read_text(encoding="utf-8")),)),
    )


def settings_for(serving: Serving, *, embedder: str, writer: str, second_opinion: str) -> Settings:
    """Put together what holds for a version of a tenant in this process."""
    return Settings(
        code=installed_code(),
        embedder=embedder,
        writer=writer,
        second_opinion=second_opinion,
        routing_policy=serving.routing_policy,
        calibration=serving.calibration,
    )


def digests(settings: Settings) -> dict[str, str]:
    """Give the digest of every setting by its name."""
    named: dict[str, object] = {
        **asdict(settings.code),
        "embedder": settings.embedder,
        "writer": settings.writer,
        "second_opinion": settings.second_opinion,
        "routing_policy": settings.routing_policy.model_dump(mode="json"),
        "calibration": asdict(settings.calibration),
    }
    return {name: _digest(value) for name, value in named.items()}


def process_fingerprint(*, embedder: str, writer: str, second_opinion: str) -> str:
    """Give one name for everything behind a tenant's answers that the log does not name by itself.

    Version, routing policy and calibration stand in the log of every attempt; the rest is what `digests` names too.
    """
    named = {**asdict(installed_code()), "embedder": embedder, "writer": writer, "second_opinion": second_opinion}
    return fingerprint({name: _digest(value) for name, value in named.items()})


def fingerprint(named: Mapping[str, str]) -> str:
    """Give one name for all digests together."""
    return _digest(sorted(named.items()))


def differing(measured: Mapping[str, str], now: Mapping[str, str]) -> tuple[str, ...]:
    """Name the settings that are not what they were."""
    return tuple(sorted(name for name in {*measured, *now} if measured.get(name) != now.get(name)))


@cache
def build_of(package: str) -> str:
    """Name the code of a package by what it does: comments, spaces and descriptions change nothing.

    Repeat: computed once a process.
    """
    return _build(sorted(_sources(files(package))))


def code_of(source: str) -> str:
    """Write a module as its syntax, without descriptions."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and _is_described(node):
            node.body = node.body[1:]
    return ast.dump(tree)


def _build(modules: Iterable[tuple[str, str]]) -> str:
    total = hashlib.sha256()
    for name, source in modules:
        total.update(f"{name}\n{code_of(source)}\n".encode())
    return total.hexdigest()[:_DIGITS]


def _is_described(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return ast.get_docstring(node, clean=False) is not None


def _sources(place: Traversable, within: str = "") -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for each in place.iterdir():
        if each.is_dir() and each.name != "__pycache__":
            found += _sources(each, f"{within}{each.name}/")
        elif each.name.endswith(".py"):
            found.append((f"{within}{each.name}", each.read_text(encoding="utf-8")))
    return found


def _digest(value: object) -> str:
    written = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(written.encode()).hexdigest()[:_DIGITS]
