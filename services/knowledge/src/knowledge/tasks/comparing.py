"""Lists the passages of a version that say the same or nearly.

Pairs are looked for in the whole version, band by band and each in slices of its numbers. Measuring them takes longest;
what was measured for an earlier version holds, because passages never change.
"""

import time
from typing import Final

from knowledge.ingestion import store as index_store
from knowledge.ingestion.jobs import Job, Step, term_range
from knowledge.ingestion.likeness import ALIKE, BANDS, MEASURE, likeness
from knowledge.tasks.bench import Bench
from knowledge.versions.store import duplicates

# A list that people look through; past it a version is full of copies, which its first thousand show.
_MOST_CANDIDATES: Final = 5_000
_MOST_DUPLICATES: Final = 1_000
# The whole text is compared as one more band.
_PLACES: Final = 1 + BANDS
_PASSAGES_A_SLICE: Final = 250_000
_PAIRS_A_STEP: Final = 1_000
_SECONDS_A_STEP: Final = 10.0


def compare(bench: Bench, tenant: str, job: Job) -> bool:
    """Find some pairs, or measure some when all are found, and list them when all are measured; a step always follows."""
    if job.version is None:
        raise AssertionError("a step after LINK has a version")
    slices = 1 + job.passages // _PASSAGES_A_SLICE
    done = _find_pairs(bench, tenant, job, version=job.version, slices=slices)
    is_over = done == slices * _PLACES
    measured = _measure(bench, tenant, version=job.version) if is_over else []
    with bench.database.transaction(tenant) as connection:
        index_store.hold(connection, job)
        duplicates.store_measures(connection, tenant=tenant, measure=MEASURE, measured=measured)
        if is_over and len(measured) < _PAIRS_A_STEP:
            duplicates.list_measured(
                connection, tenant=tenant, number=job.version, measure=MEASURE, alike=ALIKE, most=_MOST_DUPLICATES
            )
            index_store.hand_on(connection, job, step=Step.INDEX)
        else:
            index_store.hand_on(connection, job, step=Step.COMPARE, slices_done=done)
    return True


def _find_pairs(bench: Bench, tenant: str, job: Job, *, version: int, slices: int) -> int:
    """Look for pairs in one slice after the other until the step's time is over; say how many are done."""
    done, ends = job.slices_done, time.monotonic() + _SECONDS_A_STEP
    if done == slices * _PLACES:
        return done
    with bench.database.transaction(tenant) as connection:
        index_store.hold(connection, job)
        while done < slices * _PLACES and (done == job.slices_done or time.monotonic() < ends):
            place, part = divmod(done, slices)
            duplicates.find_pairs(
                connection,
                tenant=tenant,
                number=version,
                place=place,
                numbers=term_range(part, slices),
                most=_MOST_CANDIDATES,
            )
            done += 1
    return done


def _measure(bench: Bench, tenant: str, *, version: int) -> list[duplicates.Duplicate]:
    with bench.database.transaction(tenant) as connection:
        pairs = duplicates.unmeasured_pairs(
            connection, tenant=tenant, number=version, measure=MEASURE, limit=_PAIRS_A_STEP
        )
    return [
        duplicates.Duplicate(first=pair.first, other=pair.other, similarity=likeness(pair.first_text, pair.other_text))
        for pair in pairs
    ]
