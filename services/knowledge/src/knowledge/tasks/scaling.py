"""Measures a version that is indexed: how large it is, and what similarity means in its texts."""

from dataclasses import replace
from typing import Final

from knowledge.ingestion import store as index_store
from knowledge.ingestion.embedding import embedded_form
from knowledge.ingestion.indexing import passage_form
from knowledge.ingestion.jobs import Job, Step
from knowledge.ingestion.splitting import context_header
from knowledge.retrieval.searching import EXACT_SCAN_LIMIT
from knowledge.tasks import arming
from knowledge.tasks.bench import Bench
from knowledge.tasks.embedding import first_vectors
from knowledge.versions.calibration import calibrate
from knowledge.versions.drafting import Scaled
from knowledge.versions.store import counts, drafts

_SAMPLE: Final = 400


def scale(bench: Bench, tenant: str, job: Job) -> bool:
    """Calibrate a version; another step always follows.

    What the second arm needs is embedded in steps before, because an endpoint may take as long as it is let.
    """
    if job.version is None:
        raise AssertionError("a step after LINK has a version")
    with bench.database.transaction(tenant) as connection:
        day = counts.build_day(connection, version=job.version, today=bench.today(tenant))
        size = drafts.size_of(connection, version=job.version, day=day)
        sample = index_store.sample_passages(connection, version=job.version, limit=_SAMPLE)
    done = arming.embed_sample(bench, tenant, sample, done=job.slices_done)
    if done is not None:
        with bench.database.transaction(tenant) as connection:
            index_store.hand_on(connection, job, step=Step.SCALE, slices_done=done)
        return True
    headings = sorted({embedded_form(context_header(each.title, each.heading_path)) for each in sample})
    passages = [passage_form(each) for each in sample]
    vectors = first_vectors(bench, tenant, sorted({*headings, *passages}))
    first = calibrate([vectors[each] for each in headings], [vectors[each] for each in passages])
    calibration = replace(first, second=arming.calibrate_second(bench, tenant, sample))
    hot = size.servable > EXACT_SCAN_LIMIT
    scaled = Scaled(passages=size.passages, servable=size.servable, hot=hot, calibration=calibration)
    with bench.database.transaction(tenant) as connection:
        index_store.hold(connection, job)
        drafts.scale(connection, scaled, number=job.version)
        index_store.hand_on(connection, job, step=Step.HINT)
    return True
