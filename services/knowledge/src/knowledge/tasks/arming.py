"""Gives the passages of a version the vectors of the second arm, where the tenant has one."""

from datetime import date
from typing import Final
from uuid import UUID

from sqlalchemy import Connection

from knowledge.ingestion import store as index_store
from knowledge.ingestion.embedding import embedded_form
from knowledge.ingestion.indexing import passage_form
from knowledge.ingestion.jobs import Job, PendingPassage, Step
from knowledge.ingestion.splitting import context_header
from knowledge.tasks.bench import Bench
from knowledge.tasks.embedding import question_vectors, second_vectors
from knowledge.tasks.upkeep import refresh_statistics
from knowledge.versions.calibration import USUAL_SECOND, Calibration, calibrate
from knowledge.versions.store import arms, heating

# Passages of the greatest length take the embedded model a second each; a step has to be far below its lease.
_PASSAGES_A_STEP: Final = 40
_SAMPLE: Final = 100
_SAMPLED_A_STEP: Final = 20


def arm(bench: Bench, tenant: str, job: Job, *, version: int) -> bool:
    """Embed some passages of a version with the second arm, or go on when none is left or there is no such arm."""
    second = bench.second(tenant)
    waiting: list[tuple[UUID, PendingPassage]] = []
    if second is not None:
        with bench.database.transaction(tenant) as connection:
            waiting = arms.unarmed_passages(
                connection,
                tenant=tenant,
                version=version,
                arm=second.identity,
                dimension=second.dimension,
                reached=job.reached,
                limit=_PASSAGES_A_STEP,
            )
    if not waiting:
        # What counts comes next, and joins all that was just written.
        refresh_statistics(bench, tenant, version=version)
    forms = {each.passage_id: passage_form(each) for _, each in waiting}
    vectors = second_vectors(bench, tenant, list(forms.values()), second=second) if second and waiting else {}
    with bench.database.transaction(tenant) as connection:
        if second is not None:
            placed = {passage_id: vectors[form] for passage_id, form in forms.items()}
            arms.store_arm(connection, tenant=tenant, arm=second.identity, dimension=second.dimension, vectors=placed)
        if waiting:
            # What the slices of COUNT are to that step, passages are to this one.
            done = job.slices_done + len(waiting)
            index_store.hand_on(connection, job, step=Step.ARM, slices_done=done, reached=waiting[-1][0])
        else:
            index_store.hand_on(connection, job, step=Step.COUNT)
    return True


def is_armed(bench: Bench, tenant: str, *, version: int) -> bool:
    """Tell whether a version has all vectors of its tenant's second arm, if that has one."""
    second = bench.second(tenant)
    if second is None:
        return True
    with bench.database.transaction(tenant) as connection:
        return not arms.unarmed_passages(
            connection,
            tenant=tenant,
            version=version,
            arm=second.identity,
            dimension=second.dimension,
            reached=None,
            limit=1,
        )


def heat(  # noqa: PLR0913 - one keyword a condition
    bench: Bench, tenant: str, *, version: int, day: date, reached: UUID | None, limit: int
) -> list[UUID]:
    """Put vectors of the second arm into its approximate index; give the revision of each that was put, in order."""
    second = bench.second(tenant)
    if second is None:
        return []
    with bench.database.transaction(tenant) as connection:
        return heating.heat_arm(
            connection,
            tenant=tenant,
            version=version,
            arm=second.identity,
            table=arms.table_of(second.dimension),
            day=day,
            reached=reached,
            limit=limit,
        )


def embed_sample(bench: Bench, tenant: str, sample: list[PendingPassage], *, done: int) -> int | None:
    """Embed some of what the second arm is calibrated with and say how far that is; None when nothing is left to do."""
    second = bench.second(tenant)
    taken = _SAMPLED_A_STEP if second is not None else 0
    some = sample[:_SAMPLE][done : done + taken]
    if second is None or not some:
        return None
    headings = [embedded_form(context_header(each.title, each.heading_path)) for each in some]
    question_vectors(bench, tenant, headings, second=second)
    second_vectors(bench, tenant, [passage_form(each) for each in some], second=second)
    return done + len(some)


def calibrate_second(bench: Bench, tenant: str, sample: list[PendingPassage]) -> Calibration | None:
    """Measure the scale of the second arm with headings read as questions; None without one."""
    second = bench.second(tenant)
    if second is None:
        return None
    taken = sample[:_SAMPLE]
    headings = sorted({embedded_form(context_header(each.title, each.heading_path)) for each in taken})
    asked = question_vectors(bench, tenant, headings, second=second)
    passages = second_vectors(bench, tenant, [passage_form(each) for each in taken], second=second)
    return calibrate(list(asked.values()), list(passages.values()), usual=USUAL_SECOND)


def mark(connection: Connection, bench: Bench, tenant: str, *, version: int) -> None:
    """Note with which second arm a draft version was built."""
    second = bench.second(tenant)
    if second is not None:
        arms.mark_arm(connection, version=version, arm=second.identity)
