"""Counts the terms of a version: from what changed where little did, else all of them slice by slice."""

from knowledge.ingestion import store as index_store
from knowledge.ingestion.counting import changed_frequencies, worth_comparing
from knowledge.ingestion.jobs import Job, Step, slices_of, term_range
from knowledge.retrieval.searching import EXACT_SCAN_LIMIT
from knowledge.tasks.bench import Bench
from knowledge.versions.store import counts, drafts


def count(bench: Bench, tenant: str, job: Job) -> bool:
    """Count one slice of the terms, or everything that changed; another step always follows."""
    version = _version_of(job)
    with bench.database.transaction(tenant) as connection:
        day = counts.build_day(connection, version=version, today=bench.today(tenant))
        size = drafts.size_of(connection, version=version, day=day)
        most = worth_comparing(size.servable) if job.slices_done == 0 else 0
        found = counts.find_difference(connection, tenant=tenant, version=version, day=day, most=most) if most else None
    changes = changed_frequencies(found) if found is not None else {}
    afterwards = Step.HEAT if size.servable > EXACT_SCAN_LIMIT else Step.SCALE
    slices = slices_of(size.passages)
    with bench.database.transaction(tenant) as connection:
        if found is not None:
            counted = counts.count_changes(connection, tenant=tenant, version=version, base=found.base, changes=changes)
            index_store.hand_on(connection, job, step=afterwards if counted else Step.COUNT)
            return True
        covered = term_range(job.slices_done, slices)
        index_store.count_terms(connection, tenant=tenant, version=version, day=day, term_range=covered)
        done = job.slices_done + 1
        index_store.hand_on(
            connection, job, step=Step.COUNT if done < slices else afterwards, slices_done=done % slices
        )
    return True


def _version_of(job: Job) -> int:
    if job.version is None:
        raise AssertionError("a step after LINK has a version")
    return job.version
