"""The queue process of bff: `python -m bff.worker`."""

from celery import Celery

from bff.settings import BffSettings
from bff.tasks.batches import add_batches
from bff.tasks.tickets import SOURCE, add_tasks, make_receiver
from runtime.clock import utc_now
from runtime.database import SyncDatabase
from runtime.queue import make_celery, run_worker
from runtime.refusing_start import refusing_plainly
from runtime.starting import start_process


def create_worker(settings: BffSettings, database: SyncDatabase) -> Celery:
    """Make the Celery application with its tasks."""
    app = make_celery(SOURCE, redis_url=settings.redis_url)
    receiver = make_receiver(app, database=database, clock=utc_now)
    add_tasks(app, receiver)
    add_batches(app, receiver)
    return app


@refusing_plainly(SOURCE)
def run() -> None:
    """Work until told to stop."""
    settings = start_process(BffSettings, service=SOURCE)
    database = SyncDatabase(settings.database_url, pool_size=settings.worker_threads)
    database.refuse_unsafe_role()
    run_worker(create_worker(settings, database), concurrency=settings.worker_threads)
    database.close()


if __name__ == "__main__":
    run()
