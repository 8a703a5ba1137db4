"""Cuts the revisions of a version into passages, and says which of these are alike."""

from typing import Final

from knowledge.ingestion import store as index_store
from knowledge.ingestion.analyser import ANALYSER
from knowledge.ingestion.indexing import passage_terms
from knowledge.ingestion.jobs import CutPassage, Job, Progress, Step, StoredRevision
from knowledge.ingestion.likeness import ALIKE, bands_of, likeness
from knowledge.ingestion.splitting import split_passages
from knowledge.tasks.bench import Bench
from knowledge.versions.store import duplicates

_REVISIONS_A_STEP: Final = 200
# Splitting takes some three seconds a million characters; a step has to be far below its lease.
_CHARACTERS_A_STEP: Final = 2_000_000
# A list that people look through; past it a version is full of copies, which its first thousand show.
_MOST_CANDIDATES: Final = 5_000
_MOST_DUPLICATES: Final = 1_000


def split(bench: Bench, tenant: str, job: Job) -> bool:
    """Cut some revisions into passages; another step always follows."""
    version = _version_of(job)
    with bench.database.transaction(tenant) as connection:
        waiting = index_store.unsplit_revisions(
            connection, version=version, limit=_REVISIONS_A_STEP, characters=_CHARACTERS_A_STEP
        )
    cut = {each.revision_id: _cut(each) for each in waiting}
    progress = Progress(passages=sum(len(passages) for passages in cut.values()))
    with bench.database.transaction(tenant) as connection:
        if cut:
            index_store.store_passages(connection, cut, new_id=bench.new_id)
        else:
            index_store.freeze_average_length(connection, tenant=tenant, analyser=ANALYSER, version=version)
        index_store.hand_on(connection, job, step=Step.SPLIT if cut else Step.COMPARE, progress=progress)
    return True


def compare(bench: Bench, tenant: str, job: Job) -> bool:
    """List passages that say the same or nearly; another step always follows."""
    version = _version_of(job)
    with bench.database.transaction(tenant) as connection:
        pairs = duplicates.candidates(connection, number=version, limit=_MOST_CANDIDATES)
    measured = (
        duplicates.Duplicate(first=pair.first, other=pair.other, similarity=likeness(pair.first_text, pair.other_text))
        for pair in pairs
    )
    alike = sorted(measured, key=lambda each: (-each.similarity, each.first, each.other))
    # Every passage is listed once, beside the one it is most like.
    most_alike = {each.other: each for each in reversed(alike) if each.similarity >= ALIKE}
    found = sorted(most_alike.values(), key=lambda each: (-each.similarity, each.first, each.other))
    with bench.database.transaction(tenant) as connection:
        index_store.hold(connection, job)
        duplicates.store_duplicates(connection, tenant=tenant, number=version, found=found[:_MOST_DUPLICATES])
        index_store.hand_on(connection, job, step=Step.INDEX)
    return True


def _cut(revision: StoredRevision) -> list[CutPassage]:
    drafts = split_passages(revision.source, title=revision.title, page_lines=revision.page_lines)
    analysed = ((draft, passage_terms(revision.title, draft.heading_path, draft.text)) for draft in drafts)
    return [CutPassage(draft=draft, terms=len(terms), bands=bands_of(terms)) for draft, terms in analysed]


def _version_of(job: Job) -> int:
    if job.version is None:
        raise AssertionError("a step after LINK has a version")
    return job.version
