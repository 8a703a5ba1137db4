"""Cuts the revisions of a version into passages."""

from collections.abc import Iterator
from typing import Final

from knowledge.ingestion import store as index_store
from knowledge.ingestion.analyser import ANALYSER, count_terms, terms
from knowledge.ingestion.embedding import embedded_form
from knowledge.ingestion.indexing import indexed_text
from knowledge.ingestion.jobs import CutPassage, Job, Progress, Step, StoredRevision
from knowledge.ingestion.likeness import bands_of
from knowledge.ingestion.splitting import split_passages
from knowledge.tasks.bench import Bench
from knowledge.tasks.embedding import begin_vectors

_REVISIONS_A_STEP: Final = 500
# Splitting takes some three seconds a million characters; a step has to be far below its lease.
_CHARACTERS_A_STEP: Final = 2_000_000


def split(bench: Bench, tenant: str, job: Job) -> bool:
    """Cut some revisions into passages; another step always follows."""
    version = _version_of(job)
    with bench.database.transaction(tenant) as connection:
        waiting = index_store.unsplit_revisions(
            connection, version=version, limit=_REVISIONS_A_STEP, characters=_CHARACTERS_A_STEP
        )
    cut = {each.revision_id: list(_cut(each)) for each in waiting}
    begin_vectors(bench, tenant, job.import_id, (each.form for passages in cut.values() for each in passages))
    progress = Progress(passages=sum(len(passages) for passages in cut.values()))
    with bench.database.transaction(tenant) as connection:
        if cut:
            index_store.store_passages(connection, cut, new_id=bench.new_id)
        else:
            index_store.freeze_average_length(connection, tenant=tenant, analyser=ANALYSER, version=version)
        index_store.hand_on(connection, job, step=Step.SPLIT if cut else Step.COMPARE, progress=progress)
    return True


def _cut(revision: StoredRevision) -> Iterator[CutPassage]:
    for draft in split_passages(revision.source, title=revision.title, page_lines=revision.page_lines):
        indexed = indexed_text(revision.title, draft.heading_path, draft.text)
        counts = count_terms(terms(indexed))
        yield CutPassage(draft=draft, counts=counts, bands=bands_of(counts), form=embedded_form(indexed))


def _version_of(job: Job) -> int:
    if job.version is None:
        raise AssertionError("a step after LINK has a version")
    return job.version
