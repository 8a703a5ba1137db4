"""Removes what a failed or discarded version left behind, a bounded piece a step."""

from typing import Final

import redis
from celery import Celery
from kombu.exceptions import OperationalError

from knowledge.ingestion.analyser import term_id
from knowledge.ingestion.indexing import passage_terms
from knowledge.tasks.bench import Bench
from knowledge.versions.store import leftovers
from runtime.logging import bound, get_logger

REMOVE: Final = "knowledge.remove_leftovers"

_REVISIONS_A_STEP: Final = 100
_PASSAGES_A_STEP: Final = 200
_COUNTS_A_STEP: Final = 50_000

_log = get_logger("leftovers")


def remove_leftovers(bench: Bench, *, tenant: str, number: int) -> bool:
    """Remove a piece and say whether another step may follow.

    Repeat: every piece is looked up anew; two workers at once remove the same or another one.
    """
    if _remove_passages(bench, tenant, number):
        return True
    with bench.database.transaction(tenant) as connection:
        if leftovers.remove_revisions(connection, number=number, limit=_REVISIONS_A_STEP):
            return True
        if leftovers.condemn_revisions(connection, number=number, limit=_REVISIONS_A_STEP):
            return True
        if leftovers.remove_counts(connection, tenant=tenant, number=number, limit=_COUNTS_A_STEP):
            return True
        leftovers.mark_clean(connection, number=number)
    return False


def register_leftovers(app: Celery, bench: Bench, *, queue: str) -> None:
    """Teach a worker to remove leftovers."""

    def remove(tenant: str, number: int) -> None:
        """Remove a piece. Repeat: harmless; see `remove_leftovers`."""
        with bound(tenant=tenant, version=number):
            if remove_leftovers(bench, tenant=tenant, number=number):
                enqueue_leftovers(app, tenant=tenant, number=number, queue=queue)

    app.task(remove, name=REMOVE)


def enqueue_leftovers(app: Celery, *, tenant: str, number: int, queue: str) -> None:
    """Ask a worker to remove a piece. Errors: none; the pulse asks again."""
    try:
        app.send_task(REMOVE, args=[tenant, number], queue=queue, retry=False)
    except (OperationalError, OSError, redis.RedisError):
        _log.warning("leftovers_delayed", tenant=tenant, version=number)


def _remove_passages(bench: Bench, tenant: str, number: int) -> bool:
    with bench.database.transaction(tenant) as connection:
        condemned = leftovers.condemned_passages(connection, number=number, limit=_PASSAGES_A_STEP)
    # No index leads from a passage to its postings; its terms do.
    postings = [
        (term_id(term), each.passage_id)
        for each in condemned
        for term in sorted(set(passage_terms(each.title, each.heading_path, each.text)))
    ]
    with bench.database.transaction(tenant) as connection:
        ids = [each.passage_id for each in condemned]
        leftovers.remove_passages(connection, tenant=tenant, ids=ids, postings=postings)
    return bool(condemned)
