"""Compares the sentences of a version before it is staged and leaves hints for its publisher."""

import time
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection

from knowledge.evaluation.contradictions import (
    MOST_HEADINGS,
    Contradiction,
    Headed,
    Spoken,
    comparable,
    contradictions,
)
from knowledge.ingestion import store as index_store
from knowledge.ingestion.jobs import Job, Step
from knowledge.tasks.bench import Bench
from knowledge.versions.store import conflicts, counts
from knowledge.versions.version import MOST_CONFLICTS

_SECONDS_A_STEP: Final = 15.0


def list_conflicts(bench: Bench, tenant: str, job: Job, *, version: int) -> bool:
    """Compare some groups of passages and note which sentences disagree; another step always follows.

    Only what is new since the version before is compared, unless dismissals let more pairs up than its list held;
    `slices_done` counts the groups that are done. Pairs that owners let stand take no place of the list.
    """
    with bench.database.transaction(tenant) as connection:
        base = counts.find_base(connection, version)
        number = _compared_before(connection, base, version=version)
        most = MOST_CONFLICTS + conflicts.count_dismissed(connection)
        rows = conflicts.headings(connection, version=version, base=number, limit=MOST_HEADINGS)
        kept = conflicts.hints_of(connection, base=version if job.slices_done else number, version=version)
    groups = comparable(Headed(**row) for row in rows)
    found, done = _compared(bench, tenant, groups[job.slices_done :], most=most - len(kept))
    done += job.slices_done
    is_over = done >= len(groups) or len(kept) + len(found) >= most
    places = [*kept, *(_place(each) for each in found)][:most]
    with bench.database.transaction(tenant) as connection:
        index_store.hold(connection, job)
        conflicts.store_hints(connection, tenant=tenant, version=version, places=places)
        step = Step.STAGE if is_over else Step.HINT
        index_store.hand_on(connection, job, step=step, slices_done=0 if is_over else done)
    return True


def _compared(
    bench: Bench, tenant: str, groups: Sequence[Sequence[Headed]], *, most: int
) -> tuple[list[Contradiction], int]:
    """Compare one group after the other until the step's time is over; give what disagrees, and how many were done."""
    ends = time.monotonic() + _SECONDS_A_STEP
    with bench.database.transaction(tenant) as connection:
        texts = conflicts.spoken(connection, [each.passage_id for group in groups for each in group])
    found: list[Contradiction] = []
    for done, group in enumerate(groups):
        if len(found) >= most or (done and time.monotonic() > ends):
            return found, done
        spoken = [Spoken(headed=each, **texts[each.passage_id]) for each in group if each.passage_id in texts]
        found.extend(contradictions([spoken], most=most - len(found)))
    return found, len(groups)


def _compared_before(connection: Connection, base: counts.Base | None, *, version: int) -> int | None:
    """Give the version whose passages need not be compared with each other again."""
    if base is None or conflicts.is_opened_again(connection, base=base.number, version=version):
        return None
    return base.number


def _place(found: Contradiction) -> dict[str, Any]:  # a row of ids and numbers
    spans = {
        "text_start": found.span.start,
        "text_end": found.span.end,
        "other_start": found.other_span.start,
        "other_end": found.other_span.end,
    }
    return {"passage": found.passage_id, "other_passage": found.other_passage_id, **spans}
