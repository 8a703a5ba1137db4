"""The queue's side of imports: one message takes a step, or a few short ones, and asks for the next."""

import time
from typing import Final
from uuid import UUID

import redis
from celery import Celery
from kombu.exceptions import OperationalError

from knowledge.tasks.bench import Bench
from knowledge.tasks.building import advance_import
from runtime.logging import bound, get_logger

QUEUE: Final = "knowledge"
IMPORT_STEP: Final = "knowledge.import_step"
# Steps of a small import take some milliseconds, less than a message does. Others wait no longer than for one step.
_SECONDS_A_MESSAGE: Final = 1.0

_log = get_logger("imports")


def register_imports(app: Celery, bench: Bench) -> None:
    """Teach a worker to take steps of imports."""

    def import_step(tenant: str, import_id: str) -> None:
        """Take steps for a moment. Repeat: the job's row says which one is due; without a free lease nothing happens."""
        with bound(tenant=tenant, import_id=import_id):
            if advance_for_a_moment(bench, tenant=tenant, import_id=UUID(import_id)):
                enqueue_step(app, tenant=tenant, import_id=import_id)

    app.task(import_step, name=IMPORT_STEP)


def advance_for_a_moment(bench: Bench, *, tenant: str, import_id: UUID) -> bool:
    """Take one step of an import, and further ones while they are short; say whether another may follow."""
    ends = time.monotonic() + _SECONDS_A_MESSAGE
    while advance_import(bench, tenant=tenant, import_id=import_id):
        if time.monotonic() > ends:
            return True
    return False


def enqueue_step(app: Celery, *, tenant: str, import_id: str) -> None:
    """Ask a worker for the next step of an import.

    Errors: none; when the broker is down the pulse asks again as soon as the lease is over.
    """
    try:
        app.send_task(IMPORT_STEP, args=[tenant, import_id], queue=QUEUE, retry=False)
    except (OperationalError, OSError, redis.RedisError):
        _log.warning("import_step_delayed", tenant=tenant, import_id=import_id)
