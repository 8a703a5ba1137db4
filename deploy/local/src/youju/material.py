"""Gather what is to be imported: a folder, a file, an archive, or the rows of a manifest."""

from collections.abc import Callable, Iterator, Sequence
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
# Knowledge takes the files out of these itself.
ARCHIVE_ENDINGS: Final = (".zip", ".tar", ".tar.gz", ".tgz")
# They are sent for knowledge to say why it refuses them; leaving them out silently would hide a policy.
_WITH_MACROS: Final = (".docm", ".dotm", ".xlsm", ".xltm")
# A folder's own explanation for people is no policy.
_NO_POLICY: Final = "README.md"
# A larger one knowledge would only leave out.
LARGEST_FILE_BYTES: Final = 10 * 1024 * 1024
# What knowledge takes in one request.
FILES_A_BATCH: Final = 500


class Header(BaseModel):
    """What a manifest says about a file, under the keys of front matter; a file without one says it there itself.

    Keys beside these are sent as they are: knowledge says which it does not know.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

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
    links: int = 0
    archives: tuple[Path, ...] = ()


def gather_folder(folder: Path) -> Material:
    """Take every file of a known format below a folder in a stable order, and the routing policy beside them.

    Symbolic links are counted and not followed: they may lead anywhere.
    """
    found = sorted(path for path in folder.rglob("*") if is_policy(path))
    policy = folder / ROUTING_POLICY
    return Material(
        files=tuple(
            SourceFile(path=path.relative_to(folder).as_posix(), place=path)
            for path in found
            if path.is_file() and not path.is_symlink()
        ),
        routing_policy=read_text(policy) if policy.exists() else None,
        links=sum(1 for path in found if path.is_symlink()),
    )


def gather_file(file: Path) -> Material:
    """Take one file, or an archive of files.

    Errors: Trouble when its format is unknown.
    """
    if file.name.lower().endswith(ARCHIVE_ENDINGS):
        return Material(files=(), archives=(file,))
    if not is_policy(file):
        known = ", ".join(ENDINGS)
        raise Trouble(f"{file} is no folder, ends in none of {known}, and is no manifest ending in {MANIFEST_ENDING}.")
    return Material(files=(SourceFile(path=file.name, place=file),))


def is_policy(file: Path) -> bool:
    """Tell by its name whether a file is to be imported."""
    return file.suffix.lower() in (*ENDINGS, *_WITH_MACROS) and file.name != _NO_POLICY


def combined(materials: Sequence[Material]) -> Material:
    """Put several together.

    Errors: Trouble when there is nothing to import, two bring a routing policy, or two files have one path.
    """
    policies = [each.routing_policy for each in materials if each.routing_policy is not None]
    if len(policies) > 1:
        raise Trouble(f"More than one of the paths has a {ROUTING_POLICY}; import them one after the other.")
    files = tuple(file for each in materials for file in each.files)
    archives = tuple(archive for each in materials for archive in each.archives)
    if not files and not archives:
        raise Trouble("There is no file to import in the paths given.")
    _refuse_namesakes([(each.path, each.place) for each in files] + [(each.name, each) for each in archives])
    return Material(
        files=files,
        routing_policy=policies[0] if policies else None,
        left_out=sum(each.left_out for each in materials),
        links=sum(each.links for each in materials),
        archives=archives,
    )


def _refuse_namesakes(named: Sequence[tuple[str, Path]]) -> None:
    """Knowledge keeps the last of two files with one path, which would lose the other without a word."""
    places: dict[str, Path] = {}
    for path, place in named:
        if (other := places.setdefault(path, place)) != place:
            raise Trouble(f"{other} and {place} would both be {path}; import the folder above them.")


def read_text(file: Path) -> str:
    """Read UTF-8 text.

    Errors: Trouble naming the file.
    """
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as other:
        raise Trouble(f"{file} is not UTF-8 text.") from other
    except OSError as unreadable:
        raise Trouble(f"{file} cannot be read: {unreadable.strerror}.") from unreadable


def in_batches(
    files: Sequence[SourceFile], *, limit_bytes: int, refuse: Callable[[SourceFile, str], None]
) -> Iterator[tuple[tuple[SourceFile, bytes], ...]]:
    """Read the files and group them so that no group is larger than the limit, or has more files than a request may.

    `refuse` is told of a file that cannot be read or is too large for any group, and why; it is left out then.
    """
    batch: list[tuple[SourceFile, bytes]] = []
    size = 0
    for file in files:
        content = _content(file, limit_bytes)
        if isinstance(content, str):
            refuse(file, content)
            continue
        if batch and (size + len(content) > limit_bytes or len(batch) == FILES_A_BATCH):
            yield tuple(batch)
            batch, size = [], 0
        batch.append((file, content))
        size += len(content)
    if batch:
        yield tuple(batch)


def in_parts(archive: Path, *, limit_bytes: int) -> Iterator[bytes]:
    """Read an archive piece by piece. Errors: Trouble when it cannot be read."""
    try:
        with archive.open("rb") as opened:
            while part := opened.read(limit_bytes):
                yield part
    except OSError as unreadable:
        raise Trouble(f"{archive} cannot be read: {unreadable.strerror}.") from unreadable


def _content(file: SourceFile, limit_bytes: int) -> bytes | str:
    """Read a file, or say why not."""
    try:
        if (size := file.place.stat().st_size) > limit_bytes:
            return f"it has {size / 1e6:.1f} MB, a file may have {limit_bytes / 1e6:.0f} MB"
        return file.place.read_bytes()
    except OSError as unreadable:
        return f"it cannot be read: {unreadable.strerror}"
