"""Keeps a search fast right after a version was staged or published, without waiting for the database's own rounds."""

from typing import Final

import redis
from celery import Celery
from kombu.exceptions import OperationalError

from knowledge.tasks.bench import Bench
from knowledge.versions.store import arms, upkeep
from runtime.logging import bound, get_logger

WARM: Final = "knowledge.warm"
# The last statement may begin when the time is nearly over; together they stay far below the lease of an import.
_SECONDS: Final = 30.0
_SECONDS_A_STATEMENT: Final = 15

_log = get_logger("upkeep")


def refresh_statistics(bench: Bench, tenant: str, *, version: int) -> None:
    """Tell the planner what has grown with a version. Errors: none; what takes too long is left to the database's own rounds."""
    with bench.database.transaction(tenant) as connection:
        has_grown = upkeep.has_grown(connection, version=version)
        vectors = _vector_tables(bench, tenant)[1:]
        partitions = upkeep.partitions_of(connection, tenant=tenant, vectors=vectors) if has_grown else {}
    with bench.database.upkeep(seconds=_SECONDS_A_STATEMENT) as connection:
        left = upkeep.tend(connection, partitions, seconds=_SECONDS) if has_grown else upkeep.tend_versions(connection)
    if left:
        _log.warning("upkeep_left", tenant=tenant, statements=left)


def refresh_sentences(bench: Bench, tenant: str, *, version: int) -> None:
    """Tell the planner that the sentences of a version are there. Errors: none; as `refresh_statistics`."""
    with bench.database.transaction(tenant) as connection:
        if not upkeep.has_grown(connection, version=version):
            return
        partitions = upkeep.partitions_of(connection, tenant=tenant, vectors=())
    with bench.database.upkeep(seconds=_SECONDS_A_STATEMENT) as connection:
        upkeep.tend_sentences(connection, partitions)


def register_warming(app: Celery, bench: Bench, *, queue: str) -> None:
    """Teach a worker to load into memory what the searches of a tenant read."""

    def warm(tenant: str) -> None:
        """Warm. Repeat: reading again changes nothing."""
        with bound(tenant=tenant), bench.database.transaction(tenant) as connection:
            upkeep.warm(connection, tenant=tenant, vectors=_vector_tables(bench, tenant))

    app.task(warm, name=WARM, queue=queue)


def enqueue_warming(app: Celery, *, tenant: str, queue: str) -> None:
    """Ask a worker to warm a tenant. Errors: none; without it the first questions are only slower."""
    try:
        app.send_task(WARM, args=[tenant], queue=queue, retry=False)
    except (OperationalError, OSError, redis.RedisError):
        _log.warning("warming_skipped", tenant=tenant)


def _vector_tables(bench: Bench, tenant: str) -> tuple[str, ...]:
    second = bench.second(tenant)
    return ("passage_vector",) if second is None else ("passage_vector", arms.table_of(second.dimension))
