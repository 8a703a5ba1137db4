"""Gather what is to be imported: a folder, a file, or the rows of a manifest."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from youju.trouble import Trouble

ROUTING_POLICY: Final = "routing-policy.yaml"
MANIFEST_ENDING: Final = ".jsonl"
# The endings that knowledge reads; it is not asked, because its parsers would slow down every command.
ENDINGS: Final = (".md", ".markdown", ".txt", ".html", ".htm", ".docx", ".pdf", ".xlsx", ".csv", ".json")
# A folder's own explanation for people is no policy.
_NO_POLICY: Final = "README.md"
# What knowledge takes in one request.
FILES_A_BATCH: Final = 500


class Header(BaseModel):
    """What a manifest says about a file, under the keys of front matter; a file without one says it there itself."""

    model_config = ConfigDict(frozen=True)

    slug: str
    title: str
    label: str
    effective_from: date | None
    effective_to: date | None
    language: str
    source_url: str | None = None


@dataclass(frozen=True)
class SourceFile:
    """One file to import. `path` is how problems name it."""

    path: str
    place: Path
    header: Header | None = None


@dataclass(frozen=True)
class Material:
    """Everything one import brings."""

    files: tuple[SourceFile, ...]
    routing_policy: str | None = None
    left_out: int = 0


def gather_folder(folder: Path) -> Material:
    """Take every file of a known format below a folder in a stable order, and the routing policy beside them."""
    found = sorted(path for path in folder.rglob("*") if is_policy(path) and path.is_file())
    policy = folder / ROUTING_POLICY
    return Material(
        files=tuple(SourceFile(path=path.relative_to(folder).as_posix(), place=path) for path in found),
        routing_policy=read_text(policy) if policy.exists() else None,
    )


def gather_file(file: Path) -> Material:
    """Take one file.

    Errors: Trouble when its format is unknown.
    """
    if file.suffix.lower() not in ENDINGS:
        known = ", ".join(ENDINGS)
        raise Trouble(f"{file} is no folder, ends in none of {known}, and is no manifest ending in {MANIFEST_ENDING}.")
    return Material(files=(SourceFile(path=file.name, place=file),))


def is_policy(file: Path) -> bool:
    """Tell by its name whether a file is to be imported."""
    return file.suffix.lower() in ENDINGS and file.name != _NO_POLICY


def combined(materials: Sequence[Material]) -> Material:
    """Put several together.

    Errors: Trouble when there is nothing to import, or two bring a routing policy.
    """
    policies = [each.routing_policy for each in materials if each.routing_policy is not None]
    if len(policies) > 1:
        raise Trouble(f"More than one of the paths has a {ROUTING_POLICY}; import them one after the other.")
    files = tuple(file for each in materials for file in each.files)
    if not files:
        raise Trouble("There is no file to import in the paths given.")
    return Material(
        files=files,
        routing_policy=policies[0] if policies else None,
        left_out=sum(each.left_out for each in materials),
    )


def read_text(file: Path) -> str:
    """Read UTF-8 text.

    Errors: Trouble naming the file.
    """
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as other:
        raise Trouble(f"{file} is not UTF-8 text.") from other
    except OSError as unreadable:
        raise Trouble(f"{file} cannot be read: {unreadable.strerror}.") from unreadable


def in_batches(files: Sequence[SourceFile], *, limit_bytes: int) -> Iterator[tuple[tuple[SourceFile, bytes], ...]]:
    """Read the files and group them so that no group is larger than the limit, or has more files than a request may.

    Errors: Trouble naming a file that cannot be read or is too large for any group.
    """
    batch: list[tuple[SourceFile, bytes]] = []
    size = 0
    for file in files:
        content = _content(file, limit_bytes)
        if batch and (size + len(content) > limit_bytes or len(batch) == FILES_A_BATCH):
            yield tuple(batch)
            batch, size = [], 0
        batch.append((file, content))
        size += len(content)
    if batch:
        yield tuple(batch)


def _content(file: SourceFile, limit_bytes: int) -> bytes:
    try:
        if file.place.stat().st_size > limit_bytes:
            megabytes = file.place.stat().st_size / 1e6
            raise Trouble(
                f"{file.path} is too large: it has {megabytes:.1f} MB, a file may have {limit_bytes / 1e6:.0f} MB."
            )
        return file.place.read_bytes()
    except OSError as unreadable:
        raise Trouble(f"{file.path} cannot be read: {unreadable.strerror}.") from unreadable
