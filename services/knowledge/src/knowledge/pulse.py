"""The pulse of knowledge: wakes imports whose worker is gone, clears up, and tells owners what they should know."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final, TypeVar
from uuid import UUID

from celery import Celery
from sqlalchemy.ext.asyncio import AsyncConnection

from contracts.ids import uuid7
from knowledge.adapters.heads import open_heads
from knowledge.adapters.notices import open_sender
from knowledge.adapters.question_cipher import QuestionCipher
from knowledge.evaluation.store.due import due_runs, postpone_run
from knowledge.settings import KnowledgeSettings
from knowledge.tasks.checking import Drawing, checking_duties, enqueue_check
from knowledge.tasks.evaluations import enqueue_evaluation
from knowledge.tasks.imports import QUEUE, enqueue_step
from knowledge.tasks.leftovers import enqueue_leftovers
from knowledge.tasks.noticing import Notifying, notice_duties
from knowledge.tasks.originals import seal_stale
from knowledge.tasks.question_keys import wrap_stale
from knowledge.tasks.reviewing import review_duty
from knowledge.tasks.sealing import Sealing, sealing_duties
from knowledge.tasks.sentences import enqueue_sentences
from knowledge.versions.store.imports import abandoned_imports, close_waiting, due_imports, postpone_import
from knowledge.versions.store.leftovers import due_leftovers, postpone_leftovers
from knowledge.versions.store.sentences import due_backlogs, postpone_backlog
from runtime.clock import utc_now
from runtime.database import Database
from runtime.pulse import Duty, run_for_each_row, run_pulse
from runtime.queue import make_celery
from runtime.refusing_start import refusing_plainly
from runtime.settings import SettingsError
from runtime.starting import start_process
from runtime.tenants import TenantDirectory

_SERVICE: Final = "knowledge-pulse"
_BATCH: Final = 20
_ABANDONED_HOURS: Final = 24
_CLEARING_SECONDS: Final = 10.0
_RESEALING_SECONDS: Final = 60.0

Wake = Callable[[str, str], None]
OfVersion = Callable[[str, int], None]
_Key = TypeVar("_Key")


async def wake_imports(app: Database, sweeper: Database, wake: Wake) -> int:
    """Ask for a step of every running import whose lease is over, and say how many. Repeat: see `_ask_for_due`."""
    due = partial(due_imports, limit=_BATCH)
    return await _ask_for_due(
        app, sweeper, due, postpone_import, lambda tenant, import_id: wake(tenant, str(import_id))
    )


async def wake_evaluations(app: Database, sweeper: Database, wake: Wake) -> int:
    """Ask for a batch of every running evaluation whose lease is over, and say how many. Repeat: as with imports."""
    due = partial(due_runs, limit=_BATCH)
    return await _ask_for_due(app, sweeper, due, postpone_run, lambda tenant, run_id: wake(tenant, str(run_id)))


async def close_abandoned(app: Database, sweeper: Database) -> int:
    """Discard imports that were opened and never started, and say how many. Repeat: one that was started stays."""
    async with sweeper.sweep() as connection:
        abandoned = await abandoned_imports(connection, hours=_ABANDONED_HOURS, limit=_BATCH)
    reason = f"It was not started within {_ABANDONED_HOURS} hours."

    async def close(tenant: str, import_id: UUID) -> int:
        async with app.transaction(tenant) as connection:
            await close_waiting(connection, import_id, reason=reason)
        return 1

    return await run_for_each_row(abandoned, close)


async def clear_leftovers(app: Database, sweeper: Database, clear: OfVersion) -> int:
    """Ask for a step of clearing every dead version, and say how many. Repeat: as with imports."""
    return await _ask_for_due(app, sweeper, partial(due_leftovers, limit=_BATCH), postpone_leftovers, clear)


async def embed_pending(app: Database, sweeper: Database, embed: OfVersion) -> int:
    """Ask for a step of every version whose sentences wait for vectors, and say how many. Repeat: as with imports."""
    return await _ask_for_due(app, sweeper, partial(due_backlogs, limit=_BATCH), postpone_backlog, embed)


async def watch(settings: KnowledgeSettings) -> None:
    """Run the duties until told to stop. Errors: SettingsError without a sweeper's URL."""
    if settings.sweeper_database_url is None:
        raise SettingsError(("YOUJU_KNOWLEDGE_SWEEPER_DATABASE_URL is not set.",))
    app = Database(settings.database_url, pool_size=settings.database_pool_size)
    sweeper = Database(settings.sweeper_database_url, pool_size=settings.database_pool_size)
    await app.refuse_unsafe_role()
    await sweeper.refuse_unsafe_role()
    await run_pulse(
        duties_of(settings, app=app, sweeper=sweeper),
        listen_url=settings.database_url,
        metrics_port=settings.pulse_metrics_port,
    )


def duties_of(settings: KnowledgeSettings, *, app: Database, sweeper: Database) -> tuple[Duty, ...]:
    """Give everything that knowledge looks after by itself."""
    celery = make_celery("knowledge", redis_url=settings.redis_url)
    return (
        *_asking_duties(celery, app, sweeper),
        *_key_duties(settings, app, sweeper),
        *notice_duties(_notifying(settings, app, sweeper)),
        *sealing_duties(_sealing(settings, app, sweeper)),
        *(checking_duties(_drawing(settings, app, sweeper, celery)) if settings.checker_base_url is not None else ()),
        review_duty(sweeper),
    )


def _asking_duties(celery: Celery, app: Database, sweeper: Database) -> tuple[Duty, ...]:
    """Look after what workers do step by step."""

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

    async def sentences() -> int:
        return await embed_pending(
            app,
            sweeper,
            lambda tenant, number: enqueue_sentences(celery, tenant=tenant, version=number, queue=QUEUE),
        )

    return (
        Duty(name="imports", run=imports),
        Duty(name="evaluations", run=evaluations),
        Duty(name="abandoned", run=abandoned, every_seconds=_CLEARING_SECONDS),
        Duty(name="leftovers", run=leftovers, every_seconds=_CLEARING_SECONDS),
        Duty(name="sentences", run=sentences),
    )


def _key_duties(settings: KnowledgeSettings, app: Database, sweeper: Database) -> tuple[Duty, ...]:
    """Encrypt anew what older keys open; nothing to do without keys."""
    ring = settings.originals_ring
    if ring is None:
        return ()

    async def resealing() -> int:
        return await seal_stale(app, sweeper, ring)

    async def question_keys() -> int:
        return await wrap_stale(app, TenantDirectory(settings.tenants_file), QuestionCipher(ring))

    return (
        Duty(name="originals", run=resealing, every_seconds=_RESEALING_SECONDS),
        Duty(name="question-keys", run=question_keys, every_seconds=_RESEALING_SECONDS),
    )


async def _ask_for_due(
    app: Database,
    sweeper: Database,
    due: Callable[[AsyncConnection], Awaitable[Sequence[tuple[str, _Key]]]],
    postpone: Callable[[AsyncConnection, _Key], Awaitable[bool]],
    ask: Callable[[str, _Key], None],
) -> int:
    """Ask a worker for a step of everything whose lease is over, and say how many steps were asked for.

    Repeat: asking pushes the lease on in the same guarded UPDATE, so several pulses share the work.
    """
    async with sweeper.sweep() as connection:
        waiting = await due(connection)

    async def ask_once(tenant: str, key: _Key) -> int:
        async with app.transaction(tenant) as connection:
            is_mine = await postpone(connection, key)
        if is_mine:
            await asyncio.to_thread(ask, tenant, key)
        return int(is_mine)

    return await run_for_each_row(waiting, ask_once)


def _notifying(settings: KnowledgeSettings, app: Database, sweeper: Database) -> Notifying:
    return Notifying(
        app=app,
        sweeper=sweeper,
        tenants=TenantDirectory(settings.tenants_file),
        sender=open_sender(settings),
        clock=utc_now,
        new_id=uuid7,
    )


def _drawing(settings: KnowledgeSettings, app: Database, sweeper: Database, celery: Celery) -> Drawing:
    async def check(tenant: str, attempt_id: UUID) -> None:
        await asyncio.to_thread(enqueue_check, celery, tenant=tenant, attempt_id=attempt_id, queue=QUEUE)

    return Drawing(app=app, sweeper=sweeper, tenants=TenantDirectory(settings.tenants_file), enqueue=check)


def _sealing(settings: KnowledgeSettings, app: Database, sweeper: Database) -> Sealing:
    return Sealing(app=app, sweeper=sweeper, telling=open_heads(settings), clock=utc_now)


@refusing_plainly(_SERVICE)
def run() -> None:
    """Run the pulse with the settings of the environment."""
    asyncio.run(watch(start_process(KnowledgeSettings, service=_SERVICE)))


if __name__ == "__main__":
    run()
