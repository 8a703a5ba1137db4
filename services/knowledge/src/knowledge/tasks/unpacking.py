"""Takes the files out of the archives of an import, so many a step."""

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Final

from sqlalchemy import Connection

from knowledge.ingestion import store as index_store
from knowledge.ingestion.archives import Entry, RefusedArchiveError, take_entries
from knowledge.ingestion.formats.encodings import decode_text
from knowledge.ingestion.formats.faults import UnreadableFileError
from knowledge.ingestion.jobs import Job, Step
from knowledge.ingestion.manifest import MalformedRowError, Row, header_of, headers_by_path, missing_rows, read_row
from knowledge.ingestion.normal_form import normal_form
from knowledge.ingestion.problems import Problem, ProblemCode
from knowledge.tasks.bench import Bench
from knowledge.versions.store import archives, reads
from knowledge.versions.store.waiting import Waiting

# Bounds of one step, which has to be far below its lease.
_ENTRIES_A_STEP: Final = 2_000
_BYTES_A_STEP: Final = 32_000_000
_SECONDS_A_STEP: Final = 20.0
# Past these a manifest is no manifest, and a list of millions would fill the memory.
_MOST_MALFORMED: Final = 1_000
# A spool stays in memory up to here.
_SPOOLED_BYTES: Final = 8_000_000
_TAKEN: Final = "The import has another file of this path, which stays; name the two apart."


@dataclass(slots=True)
class _Taken:
    """What a step took out of an archive."""

    files: list[tuple[str, bytes]] = field(default_factory=list[tuple[str, bytes]])
    problems: list[Problem] = field(default_factory=list[Problem])
    entries: int = 0
    size_bytes: int = 0
    is_end: bool = True


def unpack(bench: Bench, tenant: str, job: Job) -> bool:
    """Take some files out of an archive; say whether a step follows."""
    waits = Waiting(tenant=tenant, import_id=job.import_id, ring=bench.ring)
    with bench.database.transaction(tenant) as connection:
        archive = archives.next_archive(connection, job.import_id)
        if archive is None:
            archives.count_files(connection, job.import_id)
            index_store.hand_on(connection, job, step=Step.READ)
            return True
    try:
        with tempfile.SpooledTemporaryFile(_SPOOLED_BYTES) as spool:
            _spool(bench, waits, archive, spool)
            taken = _take(spool, archive)
    except RefusedArchiveError as refused:
        problem = Problem(archive.path, "archive", refused.code, refused.sentence)
        with bench.database.transaction(tenant) as connection:
            index_store.hold(connection, job)
            archives.refuse_archive(connection, job.import_id, archive.path)
            reads.tell_problems(connection, tenant=tenant, import_id=job.import_id, problems=(problem,))
            index_store.hand_on(connection, job, step=Step.UNPACK)
        return True
    with bench.database.transaction(tenant) as connection:
        index_store.hold(connection, job)
        _store(connection, waits, archive, taken)
        index_store.hand_on(connection, job, step=Step.UNPACK)
    return True


def _spool(bench: Bench, waits: Waiting, archive: archives.WaitingArchive, spool: IO[bytes]) -> None:
    for number in range(archive.parts):
        with bench.database.transaction(waits.tenant) as connection:
            part = archives.part_of(connection, waits, archive.path, number)
        spool.write(part)
    spool.seek(0)


def _take(spool: IO[bytes], archive: archives.WaitingArchive) -> _Taken:
    taken = _Taken()
    ends = time.monotonic() + _SECONDS_A_STEP
    entries = take_entries(
        spool,
        archive.path,
        size_bytes=archive.size_bytes,
        done=archive.entries_done,
        unpacked_bytes=archive.unpacked_bytes,
    )
    for entry in entries:
        _add(taken, entry)
        if taken.entries >= _ENTRIES_A_STEP or taken.size_bytes >= _BYTES_A_STEP or time.monotonic() > ends:
            taken.is_end = False
            break
    return taken


def _add(taken: _Taken, entry: Entry) -> None:
    taken.entries += 1
    taken.size_bytes += entry.unpacked_bytes
    if entry.problem is not None:
        taken.problems.append(entry.problem)
    elif entry.content is not None:
        taken.files.append((entry.path, entry.content))


def _store(connection: Connection, waits: Waiting, archive: archives.WaitingArchive, taken: _Taken) -> None:
    not_kept = archives.store_entries(
        connection,
        archive,
        taken.files,
        waits=waits,
        entries_done=archive.entries_done + taken.entries,
        unpacked_bytes=archive.unpacked_bytes + taken.size_bytes,
    )
    told = (*taken.problems, *(Problem(path, "path", ProblemCode.DUPLICATE, _TAKEN) for path in not_kept))
    reads.tell_problems(connection, tenant=waits.tenant, import_id=waits.import_id, problems=told)
    if taken.is_end:
        _apply_manifests(connection, waits, archive.path)
        archives.close_archive(connection, waits.import_id, archive.path)


def _apply_manifests(connection: Connection, waits: Waiting, archive: str) -> None:
    for path, content in archives.take_manifests(connection, waits, archive):
        problems: list[Problem] = []
        rows = list(_rows(path, content, problems))
        held = archives.paths_of(connection, waits.import_id, archive)
        archives.set_headers(connection, waits.import_id, headers_by_path(rows, path, held))
        reads.tell_problems(connection, tenant=waits.tenant, import_id=waits.import_id, problems=problems)
        for row in missing_rows(rows, path, held):
            _tell_missing(connection, waits, path, row)


def _tell_missing(connection: Connection, waits: Waiting, manifest: str, row: Row) -> None:
    slug = normal_form(str(header_of(row)["slug"]))
    sentence = f"It names {row.path} of {slug}, which did not come out of the archive."
    problem = Problem(manifest, "path", ProblemCode.MISSING, sentence)
    reads.tell_problems(connection, tenant=waits.tenant, import_id=waits.import_id, problems=(problem,), slug=slug)


def _rows(path: str, content: bytes, problems: list[Problem]) -> Iterator[Row]:
    try:
        text = decode_text(content)
    except UnreadableFileError as foreign:
        problems.append(Problem(path, "content", foreign.code, foreign.sentence))
        return
    for number, line in enumerate(text.splitlines(), 1):
        try:
            if line.strip():
                yield read_row(line)
        except MalformedRowError as malformed:
            sentence = f"Line {number}: {malformed.field}: {malformed.reason}."
            problems.append(Problem(path, malformed.field, ProblemCode.INVALID, sentence))
            if len(problems) >= _MOST_MALFORMED:
                return
