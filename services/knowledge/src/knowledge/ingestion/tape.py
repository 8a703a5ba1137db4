"""Reads a tar stream from its beginning to its end with bounded memory, whatever its headers claim."""

import gzip
import io
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import IO, Final

from knowledge.ingestion.problems import ProblemCode

_BLOCK: Final = 512
# A name, and the records of a pax header; real ones are far below.
_LONGEST_HEADER_BYTES: Final = 64 * 1024
_SKIPPED_AT_ONCE: Final = 1024 * 1024
_FILES: Final = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE)


class TapeError(Exception):
    """A tar stream is refused. The sentence says why and is shown to its owner."""

    def __init__(self, code: ProblemCode, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


class MemberKind(StrEnum):
    """What an entry of an archive is; everything that is neither file nor folder is special."""

    FILE = "FILE"
    FOLDER = "FOLDER"
    SPECIAL = "SPECIAL"


@dataclass(frozen=True, slots=True)
class Member:
    """One member. `read` gives at most so many of its bytes, and only before the next member is asked for."""

    path: str
    kind: MemberKind
    read: Callable[[int], bytes]


def open_gzip(archive: IO[bytes]) -> IO[bytes]:
    """Open what gzip packed."""
    return io.BufferedReader(gzip.GzipFile(fileobj=archive, mode="rb"))


def read_members(stream: IO[bytes], *, most_bytes: int) -> Iterator[Member]:
    """Give the members in order. Errors: TapeError past so many bytes, for a damaged header, or an absurd name."""
    bounded = _Bounded(stream, most_bytes)
    said: dict[str, str] = {}
    while (header := _next_header(bounded)) is not None:
        if header.type in (tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE):
            body = _header_body(bounded, header)
            said |= {"path": _name(body)} if header.type == tarfile.GNUTYPE_LONGNAME else _records(body)
            continue
        if header.type in (tarfile.XGLTYPE, tarfile.GNUTYPE_LONGLINK):
            _header_body(bounded, header)
            continue
        size = int(said.get("size", header.size))
        content = _Content(bounded, size)
        yield Member(said.get("path", header.name), _kind(header), content.read)
        content.skip()
        said = {}


class _Bounded:
    """A stream that ends with an error when too much comes out of it."""

    def __init__(self, stream: IO[bytes], most_bytes: int) -> None:
        self._stream = stream
        self._left = most_bytes

    def read(self, size: int) -> bytes:
        read = self._stream.read(size)
        self._left -= len(read)
        if self._left < 0:
            raise TapeError(ProblemCode.ARCHIVE_BOMB, "The archive unpacks to more than an archive may hold.")
        return read


class _Content:
    """The bytes of one member, with the padding that follows them."""

    def __init__(self, stream: _Bounded, size: int) -> None:
        self._stream = stream
        self._left = size
        self._padding = -size % _BLOCK

    def read(self, most: int) -> bytes:
        read = self._stream.read(min(most, self._left))
        self._left -= len(read)
        return read

    def skip(self) -> None:
        self._left += self._padding
        self._padding = 0
        while self._left:
            if not self.read(_SKIPPED_AT_ONCE):
                raise _damaged()


def _next_header(stream: _Bounded) -> tarfile.TarInfo | None:
    block = stream.read(_BLOCK)
    if not block or not block.strip(b"\0"):
        return None
    try:
        header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError as broken:
        raise _damaged() from broken
    if header.size < 0:
        raise _damaged()
    return header


def _header_body(stream: _Bounded, header: tarfile.TarInfo) -> bytes:
    if header.size > _LONGEST_HEADER_BYTES:
        raise TapeError(ProblemCode.UNSAFE_PATH, "The archive holds a name that is too long.")
    content = _Content(stream, header.size)
    body = content.read(header.size)
    content.skip()
    return body


def _name(body: bytes) -> str:
    return body.split(b"\0", 1)[0].decode("utf-8", "surrogateescape")


def _records(body: bytes) -> dict[str, str]:
    """Read the path and the size out of a pax header: lines of length, key and value."""
    said: dict[str, str] = {}
    while body:
        length = body.split(b" ", 1)[0]
        if not length.isdigit() or not 0 < int(length) <= len(body):
            raise _damaged()
        key, _, value = body[len(length) + 1 : int(length) - 1].partition(b"=")
        if key == b"path" or (key == b"size" and value.isdigit()):
            said[key.decode()] = value.decode("utf-8", "surrogateescape")
        body = body[int(length) :]
    return said


def _kind(header: tarfile.TarInfo) -> MemberKind:
    if header.type == tarfile.DIRTYPE:
        return MemberKind.FOLDER
    return MemberKind.FILE if header.type in _FILES else MemberKind.SPECIAL


def _damaged() -> TapeError:
    return TapeError(ProblemCode.DAMAGED, "The archive is damaged: it cannot be read to its end.")
