"""The HTTP edge of knowledge: staff bring policies in, bff asks."""

import asyncio
import gc
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from fastapi import FastAPI

from contracts.ids import uuid7
from knowledge.adapters.agreeing import PoolAgreement
from knowledge.adapters.answering import open_answering, open_budgets
from knowledge.adapters.embedder import EmbeddingPool, UseEmbedder
from knowledge.adapters.gatekeeping import open_gatekeeper, retrieval_identity
from knowledge.adapters.inspecting import DatabaseInspector
from knowledge.adapters.judges import open_judge
from knowledge.adapters.reranking import open_reranker
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.adapters.second_arm import open_second_arm
from knowledge.adapters.words import RememberedWords
from knowledge.adapters.writers import open_models
from knowledge.api import (
    answers,
    attempts,
    audit,
    calibrations,
    conflicts,
    documents,
    duplicates,
    evaluations,
    golden_cases,
    imports,
    inbox,
    masks,
    notices,
    originals,
    recalls,
    retrieval,
    review,
    review_results,
    sealed_log,
    versions,
)
from knowledge.api.dependencies import Resources
from knowledge.api.gate import EnqueueRun, Evaluations, refuse_unproven
from knowledge.evaluation.fingerprint import installed_code
from knowledge.settings import KnowledgeSettings
from knowledge.tasks.evaluations import enqueue_evaluation
from knowledge.tasks.imports import QUEUE, enqueue_step
from knowledge.tasks.upkeep import enqueue_warming
from personal_data.masking import load_recognizers
from runtime.application import build_application, serve
from runtime.clock import utc_now
from runtime.database import Database
from runtime.descriptions import openapi_document
from runtime.migrating import newest_migration
from runtime.queue import make_celery
from runtime.refusing_start import refusing_plainly
from runtime.starting import start_process
from runtime.tenants import TenantDirectory
from runtime.tokens import KeyRing, public_file

_MIGRATIONS: Final = Path(__file__).parent / "migrations"
# A file of 10 MB in base64, with its JSON around it.
_BODY_LIMIT_BYTES: Final = 16 * 1024 * 1024

STATUSES: Final = {
    "NO_PUBLISHED_VERSION": 404,
    "INVALID_ROUTING_POLICY": 400,
    "TOO_FEW_LABELS": 400,
    "NOT_PUBLISHABLE": 409,
    "VERSION_STATE": 409,
    "BASE_MOVED": 409,
    "PUBLISHED_MEANWHILE": 409,
    "IMPORT_STARTED": 409,
    "IMPORT_TOO_LARGE": 413,
    "IMPORT_RUNNING": 409,
    "IMPORT_ENDED": 409,
    "MISSING_PART": 409,
    "ATTEMPT_OPEN": 409,
    "EVALUATION_GATE": 409,
    "EVALUATION_RUNNING": 409,
    "NO_GOLDEN_CASES": 409,
    "TOO_MANY_GOLDEN_CASES": 409,
    "GOLDEN_CASE_TAKEN": 409,
    "ORIGINAL_SEALED": 409,
    "HELD_BY_ANOTHER": 409,
    "NOT_HELD": 409,
    "ITEM_CLOSED": 409,
    "VERDICT_MEANWHILE": 409,
    "PROPOSAL_DECIDED": 409,
    "EVIDENCE_NOT_FOUND": 400,
    "QUESTION_ERASED": 400,
}


# The path of a document takes in all that follows it, so that what is asked about its answers comes first.
_PARTS: Final = (
    answers,
    imports,
    versions,
    calibrations,
    conflicts,
    recalls,
    documents,
    audit,
    notices,
    masks,
    originals,
    duplicates,
    evaluations,
    golden_cases,
    retrieval,
    review,
    review_results,
    inbox,
    attempts,
    sealed_log,
)


def create_app(settings: KnowledgeSettings) -> FastAPI:
    """Build the application; connections and the embedder's weights are opened when it starts."""
    database = Database(settings.database_url, pool_size=settings.database_pool_size)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        await database.refuse_unsafe_role()
        model = UseEmbedder()
        # Each of them takes long enough to be noticed by whoever asks first.
        await asyncio.gather(*(asyncio.to_thread(load) for load in (model.load, load_recognizers, installed_code)))
        patience = settings.embeddings_question_seconds
        second = open_second_arm(settings, seconds=patience)
        embedder = EmbeddingPool(model, queue=settings.embedding_queue, second=second, second_seconds=patience)
        words = RememberedWords(database)
        searcher = DatabaseSearcher(database, embedder, reranker=open_reranker(settings), words=words)
        app.state.inspector = DatabaseInspector(searcher)
        held = app.state.resources = _resources(settings, database, searcher)
        budgets = open_budgets(database)
        answering = app.state.answering = open_answering(
            database=database,
            searcher=held.searcher,
            clock=held.clock,
            embedder=retrieval_identity(settings, embedder),
            most_running=settings.most_running_attempts,
            tenants=held.tenants,
            models=open_models(settings),
            compare=PoolAgreement(embedder),
            judge=open_judge(settings, tenants=held.tenants, budgets=budgets, clock=held.clock),
            budgets=budgets,
        )
        gatekeeper = open_gatekeeper(settings, searcher=searcher, embedder=embedder, writers=answering.writers)
        app.state.evaluations = Evaluations(gatekeeper=gatekeeper, enqueue=_enqueue_run(settings))
        await refuse_unproven(
            database, held.tenants.keys(), gatekeeper=gatekeeper, refuses=settings.environment == "production"
        )
        # What is loaded now stays: the collector need not look through it while answers are checked.
        gc.collect()
        gc.freeze()
        yield
        await answering.close()
        await embedder.aclose()
        await words.aclose()
        await database.close()

    app = build_application(
        title="Youju knowledge",
        version="1",
        lifespan=lifespan,
        ready={"database": newest_migration(database, folder=_MIGRATIONS)},
        statuses=STATUSES,
        body_limit_bytes=_BODY_LIMIT_BYTES,
    )
    app.state.database = database
    for part in _PARTS:
        app.include_router(part.router)
    app.openapi = lambda: openapi_document(app)
    return app


@refusing_plainly("knowledge")
def run() -> None:
    """Serve until told to stop."""
    settings = start_process(KnowledgeSettings, service="knowledge")
    serve(create_app(settings), host=settings.host, port=settings.port)


def _enqueue_run(settings: KnowledgeSettings) -> EnqueueRun:
    celery = make_celery("knowledge", redis_url=settings.redis_url)

    async def enqueue(*, tenant: str, run_id: str) -> None:
        await asyncio.to_thread(enqueue_evaluation, celery, tenant=tenant, run_id=run_id, queue=QUEUE)

    return enqueue


def _resources(settings: KnowledgeSettings, database: Database, searcher: DatabaseSearcher) -> Resources:
    celery = make_celery("knowledge", redis_url=settings.redis_url)

    async def enqueue(*, tenant: str, import_id: str) -> None:
        await asyncio.to_thread(enqueue_step, celery, tenant=tenant, import_id=import_id)

    async def warm(*, tenant: str) -> None:
        await asyncio.to_thread(enqueue_warming, celery, tenant=tenant, queue=QUEUE)

    return Resources(
        database=database,
        tenants=TenantDirectory(settings.tenants_file),
        searcher=searcher,
        enqueue=enqueue,
        warm=warm,
        service_keys=KeyRing(public_file(settings.keys_directory, "service")),
        staff_keys=KeyRing(public_file(settings.keys_directory, "staff")),
        clock=utc_now,
        new_id=uuid7,
        ring=settings.originals_ring,
    )


if __name__ == "__main__":
    run()
