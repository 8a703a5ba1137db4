"""The worker of knowledge: builds versions from imports."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from functools import partial
from typing import Final

from celery import Celery

from contracts.errors import NotFoundError
from contracts.ids import uuid7
from contracts.messages import Envelope
from knowledge.adapters.checker_model import CheckerModel, open_checker
from knowledge.adapters.embedder import UseEmbedder
from knowledge.adapters.second_arm import open_second_arm
from knowledge.ingestion.embedding import SecondEmbedder
from knowledge.settings import WorkerSettings
from knowledge.tasks.asking import open_asking
from knowledge.tasks.bench import Bench
from knowledge.tasks.checking import Checking, register_checks
from knowledge.tasks.embedding import shorten_turns
from knowledge.tasks.evaluating import Evaluating, advance_evaluation
from knowledge.tasks.evaluations import register_evaluations
from knowledge.tasks.imports import QUEUE, register_imports
from knowledge.tasks.inbox import make_receiver, register_inbox
from knowledge.tasks.leftovers import register_leftovers
from knowledge.tasks.sentences import register_sentences
from knowledge.tasks.upkeep import register_warming
from runtime.clock import business_day, utc_now
from runtime.database import SyncDatabase
from runtime.queue import acknowledge_all, make_celery, run_worker
from runtime.refusing_start import refusing_plainly
from runtime.starting import start_process
from runtime.tenants import TenantDirectory

_SERVICE: Final = "knowledge"
_NICENESS: Final = 10


@refusing_plainly("knowledge-worker")
def run() -> None:
    """Work until told to stop."""
    settings = start_process(WorkerSettings, service="knowledge-worker")
    database = SyncDatabase(settings.database_url, pool_size=settings.database_pool_size)
    database.refuse_unsafe_role()
    app = make_celery(_SERVICE, redis_url=settings.redis_url)
    second = open_second_arm(settings, seconds=settings.embeddings_seconds)
    tenants = TenantDirectory(settings.tenants_file)
    bench = make_bench(settings, database, tenants, second=second)
    # Building versions takes hours at times and gives way to questions all the while.
    os.nice(_NICENESS)
    shorten_turns()
    register_imports(app, bench)
    register_inbox(app, make_receiver(database, acknowledge=partial(_acknowledge, app)))
    register_leftovers(app, bench, queue=QUEUE)
    evaluating = Evaluating(database=database, open=lambda: open_asking(settings, tenants), new_id=uuid7)
    register_evaluations(app, partial(advance_evaluation, evaluating), queue=QUEUE)
    register_sentences(app, bench, queue=QUEUE)
    register_warming(app, bench, queue=QUEUE)
    checker = open_checker(settings)
    if checker is not None:
        register_checks(app, _checking(settings, database, tenants, checker))
    run_worker(app, concurrency=settings.worker_concurrency)


def _acknowledge(app: Celery, envelopes: Sequence[Envelope]) -> None:
    acknowledge_all(app, envelopes, source=_SERVICE, now=utc_now())


def _checking(
    settings: WorkerSettings, database: SyncDatabase, tenants: TenantDirectory, model: CheckerModel
) -> Checking:
    return Checking(
        database=database, model=model, tenants=tenants, daily_budget=settings.checker_daily_budget, clock=utc_now
    )


def make_bench(
    settings: WorkerSettings, database: SyncDatabase, tenants: TenantDirectory, *, second: SecondEmbedder | None
) -> Bench:
    """Put together what versions are built with."""

    def today(tenant: str) -> date:
        found = tenants.find(tenant)
        if found is None:
            raise NotFoundError("This installation has no such tenant.")
        return business_day(utc_now(), found.time_zone)

    def second_of(tenant: str) -> SecondEmbedder | None:
        found = tenants.find(tenant)
        return second if found is not None and found.second_arm else None

    def keeps_originals(tenant: str) -> bool:
        found = tenants.find(tenant)
        return settings.keep_originals and found is not None and found.keep_originals

    threads = ThreadPoolExecutor(max_workers=os.cpu_count() or 1, thread_name_prefix="embed")
    return Bench(
        database=database,
        embedder=UseEmbedder(),
        threads=threads,
        new_id=uuid7,
        today=today,
        second=second_of,
        mask_key=settings.mask_key_bytes,
        ring=settings.originals_ring,
        keeps_originals=keeps_originals,
    )


if __name__ == "__main__":
    run()
