"""Cuts the revisions of a version into passages, and says which of these are alike."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from uuid import UUID

from knowledge.ingestion import store as index_store
from knowledge.ingestion.analyser import ANALYSER, count_terms
from knowledge.ingestion.embedding import embedded_form
from knowledge.ingestion.indexing import indexed_text, passage_terms
from knowledge.ingestion.jobs import CutPassage, Job, Progress, Step, StoredRevision, term_range
from knowledge.ingestion.likeness import ALIKE, BANDS, bands_of, likeness
from knowledge.ingestion.splitting import split_passages
from knowledge.tasks.bench import Bench
from knowledge.tasks.embedding import begin_vectors
from knowledge.versions.store import duplicates

_REVISIONS_A_STEP: Final = 500
# Splitting takes some three seconds a million characters; a step has to be far below its lease.
_CHARACTERS_A_STEP: Final = 2_000_000
# A list that people look through; past it a version is full of copies, which its first thousand show.
_MOST_CANDIDATES: Final = 5_000
_MOST_DUPLICATES: Final = 1_000
# The whole text is compared as one more band.
_PLACES: Final = 1 + BANDS
_PASSAGES_A_SLICE: Final = 250_000
_PAIRS_A_STEP: Final = 1_000
_SECONDS_A_STEP: Final = 10.0


def split(bench: Bench, tenant: str, job: Job) -> bool:
    """Cut some revisions into passages; another step always follows."""
    version = _version_of(job)
    with bench.database.transaction(tenant) as connection:
        waiting = index_store.unsplit_revisions(
            connection, version=version, limit=_REVISIONS_A_STEP, characters=_CHARACTERS_A_STEP
        )
    cut = {each.revision_id: _cut(each) for each in waiting}
    titles = {each.revision_id: each.title for each in waiting}
    begin_vectors(bench, tenant, job.import_id, _forms(titles, cut))
    progress = Progress(passages=sum(len(passages) for passages in cut.values()))
    with bench.database.transaction(tenant) as connection:
        if cut:
            index_store.store_passages(connection, cut, new_id=bench.new_id)
        else:
            index_store.freeze_average_length(connection, tenant=tenant, analyser=ANALYSER, version=version)
        index_store.hand_on(connection, job, step=Step.SPLIT if cut else Step.COMPARE, progress=progress)
    return True


def compare(bench: Bench, tenant: str, job: Job) -> bool:
    """List passages that say the same or nearly; another step always follows.

    First pairs are looked for, band by band and each in slices of its numbers, then measured, then listed.
    """
    slices = 1 + job.passages // _PASSAGES_A_SLICE
    if job.slices_done < slices * _PLACES:
        return _find_pairs(bench, tenant, job, slices=slices)
    version = _version_of(job)
    with bench.database.transaction(tenant) as connection:
        pairs = duplicates.unmeasured_pairs(connection, number=version, limit=_PAIRS_A_STEP)
    measured = [
        duplicates.Duplicate(first=pair.first, other=pair.other, similarity=likeness(pair.first_text, pair.other_text))
        for pair in pairs
    ]
    with bench.database.transaction(tenant) as connection:
        index_store.hold(connection, job)
        if measured:
            duplicates.store_measures(connection, number=version, measured=measured)
            index_store.hand_on(connection, job, step=Step.COMPARE, slices_done=job.slices_done)
        else:
            duplicates.list_measured(connection, tenant=tenant, number=version, alike=ALIKE, most=_MOST_DUPLICATES)
            index_store.hand_on(connection, job, step=Step.INDEX)
    return True


def _find_pairs(bench: Bench, tenant: str, job: Job, *, slices: int) -> bool:
    """Look for pairs in one slice after the other until the step's time is over."""
    version, done, ends = _version_of(job), job.slices_done, time.monotonic() + _SECONDS_A_STEP
    with bench.database.transaction(tenant) as connection:
        index_store.hold(connection, job)
        while done < slices * _PLACES and (done == job.slices_done or time.monotonic() < ends):
            place, part = divmod(done, slices)
            numbers = term_range(part, slices)
            duplicates.find_pairs(
                connection, tenant=tenant, number=version, place=place, numbers=numbers, most=_MOST_CANDIDATES
            )
            done += 1
        index_store.hand_on(connection, job, step=Step.COMPARE, slices_done=done)
    return True


def _cut(revision: StoredRevision) -> list[CutPassage]:
    drafts = split_passages(revision.source, title=revision.title, page_lines=revision.page_lines)
    counted = ((draft, count_terms(passage_terms(revision.title, draft.heading_path, draft.text))) for draft in drafts)
    return [CutPassage(draft=draft, counts=counts, bands=bands_of(counts)) for draft, counts in counted]


def _forms(titles: Mapping[UUID, str], cut: Mapping[UUID, Sequence[CutPassage]]) -> Iterator[str]:
    """Give the strings that are embedded for passages."""
    drafts = ((titles[revision_id], each.draft) for revision_id, passages in cut.items() for each in passages)
    return (embedded_form(indexed_text(title, draft.heading_path, draft.text)) for title, draft in drafts)


def _version_of(job: Job) -> int:
    if job.version is None:
        raise AssertionError("a step after LINK has a version")
    return job.version
