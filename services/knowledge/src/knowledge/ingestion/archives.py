"""Takes files out of an archive that nobody has reason to trust: bounded, never onto the disk, each refusal with a reason.

What an archive says of sizes is not believed: reading stops at the bounds whatever is declared.
"""

import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import IO, Final

from knowledge.ingestion.characters import find_control
from knowledge.ingestion.formats.reading import FORMATS, LARGEST_FILE_BYTES, WITH_MACROS
from knowledge.ingestion.manifest import MANIFEST
from knowledge.ingestion.problems import Problem, ProblemCode
from knowledge.ingestion.tape import Member, MemberKind, TapeError, open_gzip, read_members

MOST_ENTRIES: Final = 20_000
MOST_UNPACKED_BYTES: Final = 1_000_000_000
# What text does not reach: XML of the dullest kind packs to a fiftieth.
_HIGHEST_RATIO: Final = 100
_RATIO_FROM_BYTES: Final = 64_000_000
# Names of the entries we take fit many times; a longer directory is meant to fill the memory.
_LONGEST_DIRECTORY_BYTES: Final = 16_000_000
_LONGEST_PATH: Final = 500

_ARCHIVES: Final = re.compile(r"\.(?:zip|tar|gz|tgz|bz2|xz|zst|7z|rar|jar)$", re.IGNORECASE)
_DRIVE: Final = re.compile(r"[A-Za-z]:")
_NO_POLICY: Final = "README.md"
_ENCRYPTED: Final = 0x1
_PATCHED: Final = 0x20
_STRONGLY_ENCRYPTED: Final = 0x40
_IS_UTF8: Final = 0x800
_END: Final = b"PK\x05\x06"
_END_BYTES: Final = 22
_LONGEST_COMMENT: Final = 65_535
_LOCATOR: Final = b"PK\x06\x07"
_LOCATOR_BYTES: Final = 20
_DIRECTORY_SIZE: Final = slice(12, 16)
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class RefusedArchiveError(Exception):
    """A whole archive is refused. The sentence says why and is shown to its owner."""

    def __init__(self, code: ProblemCode, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


class _DamagedEntryError(Exception):
    """One entry cannot be read; its neighbours can."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry by its number: a file with its bytes, a problem, or nothing that is imported."""

    number: int
    path: str
    content: bytes | None = None
    problem: Problem | None = None
    unpacked_bytes: int = 0


@dataclass(frozen=True, slots=True)
class _Raw:
    """An entry as its format tells it. `read` gives at most so many bytes."""

    path: str
    kind: MemberKind
    read: Callable[[int], bytes]
    fault: tuple[ProblemCode, str] | None = None


def is_archive(path: str) -> bool:
    """Tell by its name whether a file is an archive that we open."""
    return _reader_of(path) is not None


def take_entries(archive: IO[bytes], path: str, *, size_bytes: int, done: int, unpacked_bytes: int) -> Iterator[Entry]:
    """Give the entries of an archive after the first `done`, of which so many bytes were unpacked.

    Errors: RefusedArchiveError when it is damaged, has too many entries, or unpacks to too much.
    """
    reader = _reader_of(path)
    if reader is None:
        raise AssertionError("only archives are unpacked")
    total = unpacked_bytes
    try:
        for number, raw in enumerate(reader(archive, done), done):
            if number >= MOST_ENTRIES:
                raise _too_many()
            entry = _taken(number, raw)
            total += entry.unpacked_bytes
            _check_total(total, size_bytes)
            yield entry
    except TapeError as broken:
        raise RefusedArchiveError(broken.code, broken.sentence) from broken
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as broken:
        sentence = "The archive is damaged: it cannot be read to its end."
        raise RefusedArchiveError(ProblemCode.DAMAGED, sentence) from broken
    except NotImplementedError as unknown:
        sentence = "The archive is packed by a method that is not read; use the usual one (deflate)."
        raise RefusedArchiveError(ProblemCode.UNKNOWN_FORMAT, sentence) from unknown


def _taken(number: int, raw: _Raw) -> Entry:
    path = raw.path.replace("\\", "/")
    fault = raw.fault or _fault_of(path, raw.kind)
    if fault is not None:
        return Entry(number, path, problem=Problem(_shown(path), "archive", *fault))
    if raw.kind is MemberKind.FOLDER or not _is_wanted(path):
        return Entry(number, path)
    try:
        content = raw.read(LARGEST_FILE_BYTES + 1)
    except _DamagedEntryError:
        return Entry(number, path, problem=Problem(path, "archive", ProblemCode.DAMAGED, "The entry is damaged."))
    if len(content) > LARGEST_FILE_BYTES:
        limit = LARGEST_FILE_BYTES // 1024 // 1024
        problem = Problem(path, "archive", ProblemCode.TOO_LARGE, f"The file has more than {limit} MB when unpacked.")
        return Entry(number, path, problem=problem, unpacked_bytes=len(content))
    return Entry(number, str(PurePosixPath(path)), content=content, unpacked_bytes=len(content))


def _fault_of(path: str, kind: MemberKind) -> tuple[ProblemCode, str] | None:
    if kind is MemberKind.SPECIAL:
        return ProblemCode.LINK, "The entry is a link or a device; only files are taken out of an archive."
    if path.startswith("/") or _DRIVE.match(path) or ".." in PurePosixPath(path).parts:
        return ProblemCode.UNSAFE_PATH, "The entry's path leads out of the archive."
    if find_control(path) or len(path) > _LONGEST_PATH:
        return ProblemCode.UNSAFE_PATH, f"The entry's path holds a control character or is longer than {_LONGEST_PATH}."
    return None if kind is MemberKind.FOLDER or _is_hidden(path) else _fault_of_name(path)


def _fault_of_name(path: str) -> tuple[ProblemCode, str] | None:
    if _ARCHIVES.search(path):
        return ProblemCode.NESTED_ARCHIVE, "An archive inside an archive is not opened; import it by itself."
    if PurePosixPath(path).suffix.lower() in WITH_MACROS:
        return ProblemCode.MACROS, "The file is an Office document with macros; save it without them."
    return None


def _is_hidden(path: str) -> bool:
    return any(part.startswith(".") or part == "__MACOSX" for part in PurePosixPath(path).parts)


def _is_wanted(path: str) -> bool:
    """Take what the import of a folder takes: known formats and the manifest, no hidden files, no README.md."""
    place = PurePosixPath(path)
    is_known = place.suffix.lower() in FORMATS or place.name == MANIFEST
    return is_known and place.name != _NO_POLICY and not _is_hidden(path)


def _shown(path: str) -> str:
    """Give a path that a problem may hold."""
    return "".join("�" if find_control(character) else character for character in path[:_LONGEST_PATH])


def _check_total(total: int, size_bytes: int) -> None:
    if total > MOST_UNPACKED_BYTES:
        limit = MOST_UNPACKED_BYTES // 1_000_000
        raise RefusedArchiveError(ProblemCode.ARCHIVE_BOMB, f"The archive unpacks to more than {limit:,} MB.")
    if total > _RATIO_FROM_BYTES and total > _HIGHEST_RATIO * size_bytes:
        sentence = f"The archive unpacks to more than {_HIGHEST_RATIO} times its size."
        raise RefusedArchiveError(ProblemCode.ARCHIVE_BOMB, sentence)


def _zip_entries(archive: IO[bytes], done: int) -> Iterator[_Raw]:
    _check_directory(archive)
    with zipfile.ZipFile(archive) as opened:
        parts = opened.infolist()
        if len(parts) > MOST_ENTRIES:
            raise _too_many()
        for part in parts[done:]:
            yield _Raw(_zip_path(part), _zip_kind(part), _zip_read(opened, part), _zip_fault(part))


def _check_directory(archive: IO[bytes]) -> None:
    """Refuse a directory too long for the memory before anything reads it, and one whose length stands elsewhere."""
    archive.seek(0, 2)
    size = archive.tell()
    archive.seek(max(0, size - _LONGEST_COMMENT - _END_BYTES - _LOCATOR_BYTES))
    tail = archive.read()
    at = _end_of_directory(tail)
    directory = int.from_bytes(tail[at:][_DIRECTORY_SIZE], "little")
    if directory > _LONGEST_DIRECTORY_BYTES or tail[max(0, at - _LOCATOR_BYTES) : at].startswith(_LOCATOR):
        raise _too_many()
    archive.seek(0)


def _end_of_directory(tail: bytes) -> int:
    """Find the record that the reader will take: without a comment it is the very end, whatever its fields hold."""
    last = len(tail) - _END_BYTES
    is_last = last >= 0 and tail.startswith(_END, last) and tail.endswith(b"\0\0")
    at = last if is_last else tail.rfind(_END)
    if at < 0:
        raise zipfile.BadZipFile
    return at


def _zip_path(part: zipfile.ZipInfo) -> str:
    """Read a name: what is not marked as UTF-8 is either that or, from a Chinese Windows, GB18030."""
    if part.flag_bits & _IS_UTF8 or part.orig_filename.isascii():
        return part.orig_filename
    written = part.orig_filename.encode("cp437", "replace")
    for encoding in ("utf-8", "gb18030"):
        try:
            return written.decode(encoding)
        except UnicodeDecodeError:
            continue
    return part.orig_filename


def _zip_kind(part: zipfile.ZipInfo) -> MemberKind:
    if part.is_dir():
        return MemberKind.FOLDER
    kind = stat.S_IFMT(part.external_attr >> 16)
    return MemberKind.FILE if kind in (0, stat.S_IFREG) else MemberKind.SPECIAL


def _zip_fault(part: zipfile.ZipInfo) -> tuple[ProblemCode, str] | None:
    if part.flag_bits & (_ENCRYPTED | _STRONGLY_ENCRYPTED):
        return ProblemCode.ENCRYPTED, "The entry is protected with a password."
    if part.compress_type not in _METHODS or part.flag_bits & _PATCHED:
        return (
            ProblemCode.UNKNOWN_FORMAT,
            "The entry is packed by a method that is not read; use the usual one (deflate).",
        )
    return None


def _zip_read(opened: zipfile.ZipFile, part: zipfile.ZipInfo) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        try:
            with opened.open(part) as stream:
                return stream.read(most)
        except (zipfile.BadZipFile, zlib.error, EOFError) as broken:
            raise _DamagedEntryError from broken

    return read


def _tar_entries(archive: IO[bytes], done: int) -> Iterator[_Raw]:
    archive.seek(0)
    yield from _members(read_members(archive, most_bytes=MOST_UNPACKED_BYTES), done)


def _gzip_entries(archive: IO[bytes], done: int) -> Iterator[_Raw]:
    archive.seek(0)
    with open_gzip(archive) as unpacked:
        yield from _members(read_members(unpacked, most_bytes=MOST_UNPACKED_BYTES), done)


def _members(members: Iterator[Member], done: int) -> Iterator[_Raw]:
    for number, member in enumerate(members):
        if number >= done:
            yield _Raw(member.path, member.kind, member.read)


def _too_many() -> RefusedArchiveError:
    return RefusedArchiveError(ProblemCode.TOO_MANY, f"The archive has more than {MOST_ENTRIES:,} entries.")


_READERS: Final[Mapping[str, Callable[[IO[bytes], int], Iterator[_Raw]]]] = MappingProxyType(
    {".zip": _zip_entries, ".tar": _tar_entries, ".tar.gz": _gzip_entries, ".tgz": _gzip_entries}
)


def _reader_of(path: str) -> Callable[[IO[bytes], int], Iterator[_Raw]] | None:
    lower = path.lower()
    return next((reader for ending, reader in _READERS.items() if lower.endswith(ending)), None)
