"""Reads the files of an import batch by batch, links their revisions, and stores them in a draft version."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final
from uuid import UUID

from sqlalchemy import Connection

from contracts.ids import IdSource
from knowledge.ingestion import store as index_store
from knowledge.ingestion.importing import FaultyFile, Masking, SourceFile, origin_of, read_file
from knowledge.ingestion.indexing import forms_of
from knowledge.ingestion.jobs import Job, Progress, Step
from knowledge.ingestion.linking import link
from knowledge.ingestion.problems import Problem, ProblemCode
from knowledge.tasks.bench import Bench
from knowledge.tasks.embedding import begin_vectors
from knowledge.tasks.originals import Keep, keeper
from knowledge.versions.store import drafts, reads
from knowledge.versions.store.masks import allowed_hashes
from knowledge.versions.store.waiting import Waiting
from personal_data.masking import mask_source, tenant_key

# Bounds of one step, which has to be far below its lease; a single file is read whatever it takes.
_FILES_A_STEP: Final = 500
_BYTES_A_STEP: Final = 4_000_000
_SECONDS_A_STEP: Final = 20.0
_DRAFTS_A_STEP: Final = 500
# These are cut once more when all are stored. While the others are read the threads embed about half of them, and the
# rest until the first is cut for good.
_ONE_AHEAD_OF: Final = 5
_LONGEST_AHEAD: Final = 50_000
# A file that ends the worker or outlasts its lease so often is left out; an import has five tries for one step.
_MOST_FAILURES: Final = 3


@dataclass(frozen=True, slots=True)
class _Batch:
    """What a step made of some files: each is in exactly one of the three."""

    fresh: list[reads.Fresh]
    shared: list[reads.Shared]
    faulty: list[tuple[str, FaultyFile]]

    @property
    def paths(self) -> list[str]:
        """List the files that are done with."""
        fresh = [each.draft.path for each in self.fresh]
        return [*fresh, *(each.path for each in self.shared if each.path), *(path for path, _ in self.faulty)]


def read(bench: Bench, tenant: str, job: Job) -> bool:
    """Read some of the files that wait, and forget their bytes; say whether a step follows."""
    with bench.database.transaction(tenant) as connection:
        waiting = Waiting(tenant=tenant, import_id=job.import_id, ring=bench.ring)
        files = reads.next_files(connection, waiting, limit=_FILES_A_STEP, size_bytes=_BYTES_A_STEP)
        files, given_up = _after_failures(connection, job, files)
        allowed = allowed_hashes(connection)
        origins = {origin_of(file, allowed=allowed): file for file in files}
        known = reads.known_origins(connection, list(origins))
    masking = partial(mask_source, key=tenant_key(bench.mask_key, tenant), allowed=allowed)
    batch = _read_batch(origins, known, masking=masking, keep=keeper(bench, tenant), new_id=bench.new_id)
    batch.faulty.extend(given_up)
    begin_vectors(bench, tenant, job.import_id, _forms(batch.fresh))
    with bench.database.transaction(tenant) as connection:
        # Whoever discards an import locks it before its files, so whoever writes does too.
        index_store.hold(connection, job)
        reads.store_fresh(connection, tenant=tenant, import_id=job.import_id, fresh=batch.fresh)
        reads.store_shared(connection, tenant=tenant, import_id=job.import_id, shared=batch.shared, kept=False)
        for _, told in batch.faulty:
            reads.tell_problems(
                connection, tenant=tenant, import_id=job.import_id, problems=told.problems, slug=told.slug
            )
        reads.forget_content(connection, job.import_id, batch.paths)
        progress = Progress(files=len(batch.paths))
        index_store.hand_on(connection, job, step=Step.READ if batch.paths else Step.LINK, progress=progress)
    return True


def link_revisions(bench: Bench, tenant: str, job: Job) -> bool:
    """Put the revisions beside each other and open the draft version, or fail; say whether a step follows."""
    with bench.database.transaction(tenant) as connection:
        faulty = reads.faulty_documents(connection, job.import_id)
        fresh = reads.entries_of(connection, job.import_id)
        base, kept = reads.current_entries(connection, new_id=bench.new_id) if job.additive else (None, {})
    linked = link((*kept, *fresh), faulty=faulty)
    told = linked.problems if job.faulty == "refuse" else (*linked.problems, *linked.with_others)
    left = sum(1 for each in fresh if each.draft_id in linked.ends)
    with bench.database.transaction(tenant) as connection:
        index_store.hold(connection, job)
        reads.tell_problems(connection, tenant=tenant, import_id=job.import_id, problems=told)
        if reason := _why_not(connection, tenant, job, left=left):
            drafts.fail(connection, job, tenant=tenant, reason=reason)
            return False
        shared = [
            reads.Shared(draft_id=entry.draft_id, revision_id=revision_id, path=None)
            for entry, revision_id in kept.items()
            if entry.draft_id in linked.ends
        ]
        reads.store_shared(connection, tenant=tenant, import_id=job.import_id, shared=shared, kept=True)
        reads.apply_links(
            connection, tenant=tenant, import_id=job.import_id, ends=linked.ends, left_out=linked.left_out
        )
        drafts.open_version(connection, job, tenant=tenant, pipeline=bench.pipeline, base_version=base)
        index_store.hand_on(connection, job, step=Step.STORE)
    return True


def store(bench: Bench, tenant: str, job: Job) -> bool:
    """Store some of the linked revisions, the last of them with what has changed; say whether a step follows."""
    if job.version is None:
        raise AssertionError("a step after LINK has a version")
    pipeline = bench.pipeline.name
    with bench.database.transaction(tenant) as connection:
        index_store.hold(connection, job)
        waiting = drafts.next_drafts(connection, job.import_id, limit=_DRAFTS_A_STEP)
        if waiting:
            drafts.store_revisions(
                connection,
                job,
                waiting,
                tenant=tenant,
                pipeline=pipeline,
                new_id=bench.new_id,
                ring=bench.originals_ring(tenant),
            )
            index_store.hand_on(connection, job, step=Step.STORE)
        else:
            built = drafts.note_changes(connection, version_number=job.version)
            index_store.hand_on(connection, job, step=Step.SPLIT, progress=built)
    return True


def _why_not(connection: Connection, tenant: str, job: Job, *, left: int) -> str | None:
    """Say why nothing can be imported, None when something can."""
    count = reads.count_problems(connection, job.import_id)
    if count and (job.faulty == "refuse" or not left):
        return f"{count} problem(s) in the files; nothing was imported."
    if left:
        return None
    sentence = "The import has no file."
    nothing = Problem("", "files", ProblemCode.NOTHING_TO_IMPORT, sentence)
    reads.tell_problems(connection, tenant=tenant, import_id=job.import_id, problems=(nothing,))
    return sentence


def _after_failures(
    connection: Connection, job: Job, files: list[SourceFile]
) -> tuple[list[SourceFile], list[tuple[str, FaultyFile]]]:
    """Suspect every file of a step that failed, and read the first alone; one that failed too often is given up."""
    if job.tries <= 1 or not files:
        return files, []
    failures = reads.count_failure(connection, job.import_id, [file.path for file in files])
    if failures < _MOST_FAILURES:
        return files[:1], []
    path = files[0].path
    sentence = f"Reading the file failed {failures} times: it took too long, or ended the program that read it."
    return [], [(path, FaultyFile(slug=None, problems=(Problem(path, "content", ProblemCode.UNREADABLE, sentence),)))]


def _read_batch(
    origins: Mapping[str, SourceFile], known: Mapping[str, UUID], *, masking: Masking, keep: Keep, new_id: IdSource
) -> _Batch:
    """Read files until the step's time is over; those that are left wait for the next one."""
    batch = _Batch([], [], [])
    ends = time.monotonic() + _SECONDS_A_STEP
    for origin, file in origins.items():
        if origin in known:
            batch.shared.append(reads.Shared(draft_id=new_id(), revision_id=known[origin], path=file.path))
        else:
            _read_one(batch, file, origin, masking=masking, keep=keep, new_id=new_id)
        if time.monotonic() > ends:
            break
    return batch


def _forms(fresh: Sequence[reads.Fresh]) -> Iterator[str]:
    """Give what will be embedded of some texts: the threads have nothing else to do until all is read and stored."""
    short = (each.draft for each in fresh[::_ONE_AHEAD_OF] if len(each.draft.source) <= _LONGEST_AHEAD)
    return (form for draft in short for form in forms_of(draft.source, title=draft.title))


def _read_one(  # noqa: PLR0913 - a file, and what it is read with
    batch: _Batch, file: SourceFile, origin: str, *, masking: Masking, keep: Keep, new_id: IdSource
) -> None:
    result = read_file(file, masking)
    if isinstance(result, FaultyFile):
        batch.faulty.append((file.path, result))
    else:
        draft_id = new_id()
        kept = keep(draft_id, file.content)
        batch.fresh.append(reads.Fresh(draft_id=draft_id, draft=result, origin_sha256=origin, original=kept))
