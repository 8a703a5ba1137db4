"""The pulse of knowledge: wakes imports whose worker is gone, clears up, and tells owners what they should know."""

import asyncio
from collections.abc import Callable
from typing import Final
from uuid import UUID

from contracts.ids import uuid7
from knowledge.adapters.heads import open_heads
from knowledge.adapters.notices import open_sender
from knowledge.adapters.question_cipher import QuestionCipher
from knowledge.evaluation.store.steps import due_runs, postpone_run
from knowledge.settings import KnowledgeSettings
from knowledge.tasks.checking import Drawing, checking_duties, enqueue_check
from knowledge.tasks.evaluating import enqueue_evaluation
from knowledge.tasks.imports import QUEUE, enqueue_step
from knowledge.tasks.leftovers import enqueue_leftovers
from knowledge.tasks.noticing import Notifying, notice_duties
from knowledge.tasks.originals import seal_stale
from knowledge.tasks.question_keys import wrap_stale
from knowledge.tasks.sealing import Sealing, sealing_duties
from knowledge.tasks.sentences import enqueue_sentences
from knowledge.versions.store.imports import abandoned_imports, close_waiting, due_imports, postpone_import
from knowledge.versions.store.leftovers import due_leftovers, postpone_leftovers
from knowledge.versions.store.sentences import due_backlogs, postpone_backlog
from runtime.clock import utc_now
from runtime.database import Database
from runtime.pulse import Duty, run_pulse
from runtime.queue import make_celery
from runtime.settings import SettingsError
from runtime.starting import start_process
from runtime.tenants import TenantDirectory

_BATCH: Final = 20
_ABANDONED_HOURS: Final = 24
_CLEARING_SECONDS: Final = 10.0
_RESEALING_SECONDS: Final = 60.0

Wake = Callable[[str, str], None]
OfVersion = Callable[[str, int], None]


async def wake_imports(app: Database, sweeper: Database, wake: Wake) -> int:
    """Ask for a step of every running import whose lease is over; say how many were asked for.

    Repeat: asking pushes the lease on in the same guarded UPDATE, so several pulses share the work.
    """
    async with sweeper.sweep() as connection:
        due = await due_imports(connection, limit=_BATCH)
    woken = 0
    for tenant, import_id in due:
        async with app.transaction(tenant) as connection:
            is_mine = await postpone_import(connection, import_id)
        if is_mine:
            await asyncio.to_thread(wake, tenant, str(import_id))
            woken += 1
    return woken


async def wake_evaluations(app: Database, sweeper: Database, wake: Wake) -> int:
    """Ask for a batch of every running evaluation whose lease is over, and say how many. Repeat: as with imports."""
    async with sweeper.sweep() as connection:
        due = await due_runs(connection, limit=_BATCH)
    woken = 0
    for tenant, run_id in due:
        async with app.transaction(tenant) as connection:
            is_mine = await postpone_run(connection, run_id)
        if is_mine:
            await asyncio.to_thread(wake, tenant, str(run_id))
            woken += 1
    return woken


async def close_abandoned(app: Database, sweeper: Database) -> int:
    """Discard imports that were opened and never started, and say how many. Repeat: one that was started stays."""
    async with sweeper.sweep() as connection:
        abandoned = await abandoned_imports(connection, hours=_ABANDONED_HOURS, limit=_BATCH)
    reason = f"It was not started within {_ABANDONED_HOURS} hours."
    for tenant, import_id in abandoned:
        async with app.transaction(tenant) as connection:
            await close_waiting(connection, import_id, reason=reason)
    return len(abandoned)


async def clear_leftovers(app: Database, sweeper: Database, clear: OfVersion) -> int:
    """Ask for a step of clearing every dead version, and say how many. Repeat: as with imports."""
    async with sweeper.sweep() as connection:
        due = await due_leftovers(connection, limit=_BATCH)
    asked = 0
    for tenant, number in due:
        async with app.transaction(tenant) as connection:
            is_mine = await postpone_leftovers(connection, number)
        if is_mine:
            await asyncio.to_thread(clear, tenant, number)
            asked += 1
    return asked


async def embed_pending(app: Database, sweeper: Database, embed: OfVersion) -> int:
    """Ask for a step of every version whose sentences wait for vectors, and say how many. Repeat: as with imports."""
    async with sweeper.sweep() as connection:
        due = await due_backlogs(connection, limit=_BATCH)
    asked = 0
    for tenant, number in due:
        async with app.transaction(tenant) as connection:
            is_mine = await postpone_backlog(connection, number)
        if is_mine:
            await asyncio.to_thread(embed, tenant, number)
            asked += 1
    return asked


async def run() -> None:
    """Run the duties until told to stop. Errors: SettingsError without a sweeper's URL."""
    settings = start_process(KnowledgeSettings, service="knowledge-pulse")
    if settings.sweeper_database_url is None:
        raise SettingsError(("YOUJU_KNOWLEDGE_SWEEPER_DATABASE_URL is not set.",))
    app = Database(settings.database_url, pool_size=settings.database_pool_size)
    sweeper = Database(settings.sweeper_database_url, pool_size=settings.database_pool_size)
    await app.refuse_unsafe_role()
    await sweeper.refuse_unsafe_role()
    celery = make_celery("knowledge", redis_url=settings.redis_url)

    async def imports() -> int:
        return await wake_imports(
            app, sweeper, lambda tenant, import_id: enqueue_step(celery, tenant=tenant, import_id=import_id)
        )

    async def evaluations() -> int:
        return await wake_evaluations(
            app,
            sweeper,
            lambda tenant, run_id: enqueue_evaluation(celery, tenant=tenant, run_id=run_id, queue=QUEUE),
        )

    async def abandoned() -> int:
        return await close_abandoned(app, sweeper)

    async def leftovers() -> int:
        return await clear_leftovers(
            app,
            sweeper,
            lambda tenant, number: enqueue_leftovers(celery, tenant=tenant, number=number, queue=QUEUE),
        )

    async def resealing() -> int:
        ring = settings.originals_ring
        return 0 if ring is None else await seal_stale(app, sweeper, ring)

    async def sentences() -> int:
        return await embed_pending(
            app,
            sweeper,
            lambda tenant, number: enqueue_sentences(celery, tenant=tenant, version=number, queue=QUEUE),
        )

    async def question_keys() -> int:
        ring = settings.originals_ring
        return (
            0 if ring is None else await wrap_stale(app, TenantDirectory(settings.tenants_file), QuestionCipher(ring))
        )

    async def check(tenant: str, attempt_id: UUID) -> None:
        await asyncio.to_thread(enqueue_check, celery, tenant=tenant, attempt_id=attempt_id, queue=QUEUE)

    drawing = Drawing(app=app, sweeper=sweeper, tenants=TenantDirectory(settings.tenants_file), enqueue=check)
    checks = checking_duties(drawing) if settings.checker_base_url is not None else ()
    duties = (
        Duty(name="imports", run=imports),
        Duty(name="evaluations", run=evaluations),
        Duty(name="abandoned", run=abandoned, every_seconds=_CLEARING_SECONDS),
        Duty(name="leftovers", run=leftovers, every_seconds=_CLEARING_SECONDS),
        Duty(name="sentences", run=sentences),
        Duty(name="originals", run=resealing, every_seconds=_RESEALING_SECONDS),
        Duty(name="question-keys", run=question_keys, every_seconds=_RESEALING_SECONDS),
    )
    await run_pulse(
        (
            *duties,
            *notice_duties(_notifying(settings, app, sweeper)),
            *sealing_duties(_sealing(settings, app, sweeper)),
            *checks,
        ),
        listen_url=settings.database_url,
        metrics_port=settings.pulse_metrics_port,
    )


def _notifying(settings: KnowledgeSettings, app: Database, sweeper: Database) -> Notifying:
    return Notifying(
        app=app,
        sweeper=sweeper,
        tenants=TenantDirectory(settings.tenants_file),
        sender=open_sender(settings),
        clock=utc_now,
        new_id=uuid7,
    )


def _sealing(settings: KnowledgeSettings, app: Database, sweeper: Database) -> Sealing:
    return Sealing(app=app, sweeper=sweeper, telling=open_heads(settings), clock=utc_now)


if __name__ == "__main__":
    asyncio.run(run())
