"""Hands batches of evaluation runs to workers; what a batch does, and all it needs, is in `evaluating`."""

from collections.abc import Callable
from typing import Final
from uuid import UUID

import redis
from celery import Celery
from kombu.exceptions import OperationalError

from runtime.logging import bound, get_logger

EVALUATE: Final = "knowledge.evaluate"

Advance = Callable[[str, UUID], bool]
"""Asks a batch of a run of a tenant and says whether another may follow."""

_log = get_logger("evaluation")


def register_evaluations(app: Celery, advance: Advance, *, queue: str) -> None:
    """Teach a worker to evaluate."""

    def evaluate(tenant: str, run_id: str) -> None:
        """Ask a batch. Repeat: harmless; see `evaluating.advance_evaluation`."""
        with bound(tenant=tenant, run_id=run_id):
            if advance(tenant, UUID(run_id)):
                enqueue_evaluation(app, tenant=tenant, run_id=run_id, queue=queue)

    app.task(evaluate, name=EVALUATE)


def enqueue_evaluation(app: Celery, *, tenant: str, run_id: str, queue: str) -> None:
    """Ask a worker for the next batch of a run. Errors: none; the pulse asks again."""
    try:
        app.send_task(EVALUATE, args=[tenant, run_id], queue=queue, retry=False)
    except (OperationalError, OSError, redis.RedisError):
        _log.warning("evaluation_delayed", tenant=tenant, run_id=run_id)
