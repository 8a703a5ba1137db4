"""Archives of an import: received in parts, unpacked entry by entry into files that wait to be read."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import Connection, bindparam, delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert

from knowledge.ingestion.manifest import MANIFEST
from knowledge.tables.imports import archive_part, import_file, import_job
from knowledge.versions.store.waiting import Waiting

_HELD: Final = text("""
    SELECT path FROM import_file WHERE import_id = :import_id AND path = ANY(CAST(:paths AS text[]))
""")
_ARCHIVE: Final = "archive"


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingArchive:
    """An archive that is not unpacked to its end."""

    path: str
    parts: int
    size_bytes: int
    entries_done: int
    unpacked_bytes: int


def next_archive(connection: Connection, import_id: UUID) -> WaitingArchive | None:
    """Give an archive that has entries left; None when all are unpacked."""
    columns = import_file.c
    parts = (
        select(archive_part.c.path, func.count().label("parts"))
        .where(archive_part.c.import_id == import_id)
        .group_by(archive_part.c.path)
        .subquery()
    )
    waiting = (
        select(columns.path, columns.size_bytes, columns.entries_done, columns.unpacked_bytes, parts.c.parts)
        .join(parts, parts.c.path == columns.path)
        .where(columns.import_id == import_id, columns.kind == _ARCHIVE)
        .order_by(columns.ordinal, columns.path)
        .limit(1)
    )
    row = connection.execute(waiting).mappings().one_or_none()
    return None if row is None else WaitingArchive(**row)


def part_of(connection: Connection, waits: Waiting, path: str, number: int) -> bytes:
    """Give one part of an archive, counted from zero. Shapes: empty past the last."""
    columns = archive_part.c
    wanted = select(columns.content, columns.key_id).where(
        columns.import_id == waits.import_id, columns.path == path, columns.number == number
    )
    row = connection.execute(wanted).one_or_none()
    return b"" if row is None else waits.read(row.content, row.key_id, path, number)


def store_entries(  # noqa: PLR0913 - an archive, its entries, and how far it is
    connection: Connection,
    archive: WaitingArchive,
    files: Sequence[tuple[str, bytes]],
    *,
    waits: Waiting,
    entries_done: int,
    unpacked_bytes: int,
) -> list[str]:
    """Keep unpacked files until they are read, say how far the archive is, and give the paths that were not kept.

    These belong to other files, be it of this archive, whose first entry of a path stays, or from elsewhere, which a
    refusal of this archive must not take along.
    """
    columns = import_file.c
    first: dict[str, bytes] = {}
    for path, content in files:
        first.setdefault(path, content)
    asked = {"import_id": waits.import_id, "paths": list(first)}
    taken = set(connection.execute(_HELD, asked).scalars())
    repeated = [path for path, count in Counter(path for path, _ in files).items() if count > 1]
    rows = [
        {
            "tenant": waits.tenant,
            "import_id": waits.import_id,
            "path": path,
            "ordinal": archive.entries_done + place,
            "header": None,
            "size_bytes": len(content),
            "archive": archive.path,
            **waits.stored(content, path),
        }
        for place, (path, content) in enumerate(first.items())
        if path not in taken
    ]
    if rows:
        connection.execute(insert(import_file), rows)
    moving = update(import_file).where(columns.import_id == waits.import_id, columns.path == archive.path)
    connection.execute(moving.values(entries_done=entries_done, unpacked_bytes=unpacked_bytes))
    return sorted(taken | set(repeated))


def close_archive(connection: Connection, import_id: UUID, path: str) -> None:
    """Forget the bytes of an archive."""
    columns = archive_part.c
    connection.execute(delete(archive_part).where(columns.import_id == import_id, columns.path == path))


def refuse_archive(connection: Connection, import_id: UUID, path: str) -> None:
    """Forget an archive with everything that came out of it, and nothing else."""
    columns = import_file.c
    connection.execute(delete(import_file).where(columns.import_id == import_id, columns.archive == path))
    close_archive(connection, import_id, path)


def take_manifests(connection: Connection, waits: Waiting, archive: str) -> Iterator[tuple[str, bytes]]:
    """Take the manifests of an archive out of its files, each with its path."""
    columns = import_file.c
    taking = delete(import_file).where(
        columns.import_id == waits.import_id,
        columns.archive == archive,
        (columns.path == MANIFEST) | columns.path.endswith(f"/{MANIFEST}", autoescape=True),
    )
    for row in connection.execute(taking.returning(columns.path, columns.content, columns.key_id)).all():
        yield row.path, waits.read(row.content, row.key_id, row.path)


def paths_of(connection: Connection, import_id: UUID, archive: str) -> frozenset[str]:
    """Give the paths of the files that came out of an archive."""
    columns = import_file.c
    listed = select(columns.path).where(columns.import_id == import_id, columns.archive == archive)
    return frozenset(connection.execute(listed).scalars())


def set_headers(connection: Connection, import_id: UUID, headers: Mapping[str, Mapping[str, object]]) -> None:
    """Give files the headers a manifest has for them."""
    columns = import_file.c
    setting = update(import_file).where(columns.import_id == import_id, columns.path == bindparam("file"))
    rows = [{"file": path, "header": dict(header)} for path, header in headers.items()]
    if rows:
        connection.execute(setting.values(header=bindparam("header", type_=columns.header.type)), rows)


def count_files(connection: Connection, import_id: UUID) -> None:
    """Say how many files an import has now that its archives are unpacked."""
    columns = import_file.c
    files = select(func.count()).where(columns.import_id == import_id, columns.kind != _ARCHIVE)
    total = files.scalar_subquery()
    connection.execute(update(import_job).where(import_job.c.id == import_id).values(files_total=total))
