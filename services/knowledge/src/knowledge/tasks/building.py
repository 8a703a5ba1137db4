"""Builds a version step by step: each step is a short read, work without a session, and one writing transaction."""

from collections.abc import Callable
from itertools import accumulate
from typing import Final
from uuid import UUID

from knowledge.ingestion import store as index_store
from knowledge.ingestion.analyser import ANALYSER
from knowledge.ingestion.indexing import passage_form
from knowledge.ingestion.jobs import MOST_TRIES, Job, PendingPassage, Step
from knowledge.tasks import arming, comparing, reading, scaling, splitting, unpacking
from knowledge.tasks.bench import Bench
from knowledge.tasks.conflicts import list_conflicts
from knowledge.tasks.counting import count
from knowledge.tasks.embedding import begin_vectors, first_vectors_by_batch
from knowledge.tasks.upkeep import refresh_statistics
from knowledge.versions.store import arms, counts, drafts, heating, sentences

# Bounds of one step of INDEX: the embedder takes longest, and its time goes by the length of the texts.
_PASSAGES_A_STEP: Final = 2_400
_CHARACTERS_A_STEP: Final = 480_000
_PASSAGES_A_BATCH: Final = 120
# What the threads have to do until the next step asks.
_PASSAGES_AHEAD: Final = 240
_VECTORS_A_STEP: Final = 1_500


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
            drafts.fail(connection, job, tenant=tenant, reason=reason)
            return False
    if job is None:
        return False
    return _STEPS[job.step](bench, tenant, job)


def _index(bench: Bench, tenant: str, job: Job) -> bool:
    version = _version_of(job)
    with bench.database.transaction(tenant) as connection:
        listed = index_store.unindexed_passages(connection, version=version, limit=_PASSAGES_A_STEP + _PASSAGES_AHEAD)
    waiting = _bounded(listed[:_PASSAGES_A_STEP])
    following = listed[len(waiting) :][:_PASSAGES_AHEAD]
    forms = {passage.passage_id: passage_form(passage) for passage in waiting}
    # The threads embed what comes next while the database takes what they have done.
    for place, vectors in enumerate(
        first_vectors_by_batch(bench, tenant, job.import_id, forms, batch=_PASSAGES_A_BATCH)
    ):
        if place == 0:
            begin_vectors(bench, tenant, job.import_id, map(passage_form, following))
        with bench.database.transaction(tenant) as connection:
            index_store.store_index(connection, job, tenant=tenant, analyser=ANALYSER, vectors=vectors)
    with bench.database.transaction(tenant) as connection:
        index_store.hand_on(connection, job, step=Step.INDEX if waiting else Step.ARM)
    if not waiting:
        bench.ahead.forget(job.import_id)
    return True


def _arm(bench: Bench, tenant: str, job: Job) -> bool:
    return arming.arm(bench, tenant, job, version=_version_of(job))


def _heat(bench: Bench, tenant: str, job: Job) -> bool:
    version = _version_of(job)
    with bench.database.transaction(tenant) as connection:
        day = counts.build_day(connection, version=version, today=bench.today(tenant))
        first = heating.heat_vectors(
            connection, tenant=tenant, version=version, day=day, reached=job.reached, limit=_VECTORS_A_STEP
        )
    second = arming.heat(bench, tenant, version=version, day=day, reached=job.reached, limit=_VECTORS_A_STEP)
    # An arm that put fewer than it might is done; the others go on after the one that is furthest behind.
    reached = min((put[-1] for put in (first, second) if len(put) == _VECTORS_A_STEP), default=None)
    with bench.database.transaction(tenant) as connection:
        step = Step.SCALE if reached is None else Step.HEAT
        index_store.hand_on(connection, job, step=step, reached=reached)
    return True


def _hint(bench: Bench, tenant: str, job: Job) -> bool:
    return list_conflicts(bench, tenant, job, version=_version_of(job))


def _stage(bench: Bench, tenant: str, job: Job) -> bool:
    version = _version_of(job)
    is_armed = arming.is_armed(bench, tenant, version=version)
    if is_armed:
        refresh_statistics(bench, tenant, version=version)
    with bench.database.transaction(tenant) as connection:
        index_store.hold(connection, job)
        if not is_armed:
            # The tenant was given a second arm while this version was built.
            index_store.hand_on(connection, job, step=Step.ARM)
            return True
        arming.mark(connection, bench, tenant, version=version)
        arms.count_audiences(connection, tenant=tenant, version=version)
        sentences.open_backlog(connection, tenant=tenant, version=version)
        drafts.stage(connection, job, tenant=tenant)
    return False


_STEPS: Final[dict[Step, Callable[[Bench, str, Job], bool]]] = {
    Step.UNPACK: unpacking.unpack,
    Step.READ: reading.read,
    Step.LINK: reading.link_revisions,
    Step.STORE: reading.store,
    Step.SPLIT: splitting.split,
    Step.COMPARE: comparing.compare,
    Step.INDEX: _index,
    Step.ARM: _arm,
    Step.COUNT: count,
    Step.HEAT: _heat,
    Step.SCALE: scaling.scale,
    Step.HINT: _hint,
    Step.STAGE: _stage,
}


def _bounded(listed: list[PendingPassage]) -> list[PendingPassage]:
    """Take the first passage and those after it that fit."""
    ends = accumulate(len(each.text) for each in listed)
    return [
        each
        for place, (each, end) in enumerate(zip(listed, ends, strict=True))
        if not place or end <= _CHARACTERS_A_STEP
    ]


def _version_of(job: Job) -> int:
    if job.version is None:
        raise AssertionError("a step after READ has a version")
    return job.version
