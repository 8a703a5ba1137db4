"""Builds a version step by step: each step is a short read, work without a session, and one writing transaction."""

from collections.abc import Callable
from typing import Final
from uuid import UUID

from knowledge.ingestion import store as index_store
from knowledge.ingestion.analyser import ANALYSER
from knowledge.ingestion.embedding import Vector, embedded_form, embedded_hash
from knowledge.ingestion.indexing import forms_of, index_passage, passage_terms
from knowledge.ingestion.jobs import MOST_TRIES, Job, Step, slices_of, term_range
from knowledge.ingestion.splitting import PassageDraft, context_header, split_passages
from knowledge.retrieval.searching import EXACT_SCAN_LIMIT
from knowledge.tasks import reading
from knowledge.tasks.bench import Bench
from knowledge.tasks.upkeep import refresh_statistics
from knowledge.versions.calibration import Calibration, calibrate
from knowledge.versions.drafting import Staged
from knowledge.versions.store import drafts

_REVISIONS_A_STEP: Final = 50
# Splitting takes some three seconds a million characters; a step has to be far below its lease.
_CHARACTERS_A_STEP: Final = 2_000_000
_PASSAGES_A_STEP: Final = 100
_VECTORS_A_STEP: Final = 1_500
_SAMPLE: Final = 400
_TEXTS_A_CALL: Final = 24


def advance_import(bench: Bench, *, tenant: str, import_id: UUID) -> bool:
    """Take one step of an import and say whether another may follow.

    Repeat: a step that is taken by another worker, or an import that has ended, is left alone; a step that was cut
    off is taken again from the rows it left.
    Errors: LostLeaseError when the step took so long that another worker has the import now.
    """
    with bench.database.transaction(tenant) as connection:
        job = index_store.claim(connection, import_id, lease_token=bench.new_id())
        if job is not None and job.tries > MOST_TRIES:
            reason = f"The step {job.step} was tried {MOST_TRIES} times without success."
            drafts.fail(connection, job, problems=(), reason=reason)
            return False
    if job is None:
        return False
    return _STEPS[job.step](bench, tenant, job)


def _split(bench: Bench, tenant: str, job: Job) -> bool:
    version = _version_of(job)
    with bench.database.transaction(tenant) as connection:
        waiting = index_store.unsplit_revisions(
            connection, version=version, limit=_REVISIONS_A_STEP, characters=_CHARACTERS_A_STEP
        )
    split = [(each.revision_id, _with_lengths(each.source, each.title)) for each in waiting]
    with bench.database.transaction(tenant) as connection:
        for revision_id, passages in split:
            index_store.store_passages(connection, revision_id, passages, new_id=bench.new_id)
        if not waiting:
            index_store.freeze_average_length(connection, tenant=tenant, analyser=ANALYSER, version=version)
        index_store.hand_on(connection, job, step=Step.SPLIT if waiting else Step.INDEX)
    return True


def _index(bench: Bench, tenant: str, job: Job) -> bool:
    version = _version_of(job)
    with bench.database.transaction(tenant) as connection:
        waiting = index_store.unindexed_passages(connection, version=version, limit=_PASSAGES_A_STEP)
        average = index_store.average_length(connection, ANALYSER)
    vectors = _vectors(bench, tenant, sorted({form for passage in waiting for form in forms_of(passage)}))
    indexed = [index_passage(passage, average_length=average, vectors=vectors) for passage in waiting]
    with bench.database.transaction(tenant) as connection:
        if indexed:
            index_store.store_index(connection, tenant=tenant, indexed=indexed)
        index_store.hand_on(connection, job, step=Step.INDEX if waiting else Step.COUNT)
    return True


def _count(bench: Bench, tenant: str, job: Job) -> bool:
    version = _version_of(job)
    day = bench.today(tenant)
    with bench.database.transaction(tenant) as connection:
        size = drafts.size_of(connection, version=version, day=day)
        slices = slices_of(size.passages)
        covered = term_range(job.slices_done, slices)
        index_store.count_terms(connection, tenant=tenant, version=version, day=day, term_range=covered)
        done = job.slices_done + 1
        if done < slices:
            index_store.hand_on(connection, job, step=Step.COUNT, slices_done=done)
        else:
            index_store.hand_on(connection, job, step=Step.HEAT if size.servable > EXACT_SCAN_LIMIT else Step.STAGE)
    return True


def _heat(bench: Bench, tenant: str, job: Job) -> bool:
    with bench.database.transaction(tenant) as connection:
        put = index_store.heat_vectors(
            connection, tenant=tenant, version=_version_of(job), day=bench.today(tenant), limit=_VECTORS_A_STEP
        )
        index_store.hand_on(connection, job, step=Step.HEAT if put else Step.STAGE)
    return True


def _stage(bench: Bench, tenant: str, job: Job) -> bool:
    version = _version_of(job)
    with bench.database.transaction(tenant) as connection:
        size = drafts.size_of(connection, version=version, day=bench.today(tenant))
        sample = index_store.sample_passages(connection, version=version, limit=_SAMPLE)
    headings = sorted({embedded_form(context_header(each.title, each.heading_path)) for each in sample})
    passages = [forms_of(each)[0] for each in sample]
    vectors = _vectors(bench, tenant, sorted({*headings, *passages}))
    scale: Calibration = calibrate([vectors[each] for each in headings], [vectors[each] for each in passages])
    refresh_statistics(bench, tenant)
    hot = size.servable > EXACT_SCAN_LIMIT
    staged = Staged(job=job, passages=size.passages, servable=size.servable, hot=hot, calibration=scale)
    with bench.database.transaction(tenant) as connection:
        drafts.stage(connection, staged)
    return False


_STEPS: Final[dict[Step, Callable[[Bench, str, Job], bool]]] = {
    Step.READ: reading.read,
    Step.SPLIT: _split,
    Step.INDEX: _index,
    Step.COUNT: _count,
    Step.HEAT: _heat,
    Step.STAGE: _stage,
}


def _with_lengths(source: str, title: str) -> list[tuple[PassageDraft, int]]:
    return [
        (draft, len(passage_terms(title, draft.heading_path, draft.text)))
        for draft in split_passages(source, title=title)
    ]


def _vectors(bench: Bench, tenant: str, forms: list[str]) -> dict[str, Vector]:
    """Give the vector of every string, embedding only what this tenant's cache does not hold."""
    hashes = {form: embedded_hash(form) for form in forms}
    identity = bench.embedder.identity
    with bench.database.transaction(tenant) as connection:
        known = index_store.cached_vectors(connection, embedder=identity, hashes=list(hashes.values()))
    missing = [form for form in forms if hashes[form] not in known]
    fresh = {hashes[form]: vector for form, vector in _embedded(bench, missing).items()}
    with bench.database.transaction(tenant) as connection:
        index_store.cache_vectors(connection, tenant=tenant, embedder=identity, vectors=fresh)
    return {form: (known | fresh)[hashes[form]] for form in forms}


def _embedded(bench: Bench, forms: list[str]) -> dict[str, Vector]:
    # Texts of one length make a batch without padding.
    ordered = sorted(forms, key=len)
    calls = [ordered[at : at + _TEXTS_A_CALL] for at in range(0, len(ordered), _TEXTS_A_CALL)]
    vectors = (vector for called in bench.threads.map(bench.embedder.embed, calls) for vector in called)
    return dict(zip(ordered, vectors, strict=True))


def _version_of(job: Job) -> int:
    if job.version is None:
        raise AssertionError("a step after READ has a version")
    return job.version
