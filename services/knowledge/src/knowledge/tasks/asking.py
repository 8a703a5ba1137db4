"""Opens what golden cases are asked with in a worker: the same parts as at the HTTP edge, for one batch."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from contracts.ids import uuid7
from knowledge.adapters.agreeing import PoolAgreement
from knowledge.adapters.answering import open_answering, open_budgets
from knowledge.adapters.embedder import EmbeddingPool, UseEmbedder
from knowledge.adapters.examining import Examiner
from knowledge.adapters.gatekeeping import open_gatekeeper, retrieval_identity
from knowledge.adapters.judges import open_judge
from knowledge.adapters.reranking import open_reranker
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.adapters.second_arm import open_second_arm
from knowledge.adapters.writers import open_models
from knowledge.settings import KnowledgeSettings
from knowledge.tasks.evaluating import Asking
from runtime.clock import utc_now
from runtime.database import Database
from runtime.tenants import TenantDirectory

# A few cases at once, of which each may search several question parts at once.
_CONNECTIONS: Final = 8


@asynccontextmanager
async def open_asking(settings: KnowledgeSettings, tenants: TenantDirectory) -> AsyncGenerator[Asking]:
    """Open connections, pools and clients, and give them back at the end."""
    database = Database(settings.database_url, pool_size=_CONNECTIONS)
    patience = settings.embeddings_question_seconds
    second = open_second_arm(settings, seconds=patience)
    embedder = EmbeddingPool(UseEmbedder(), queue=settings.embedding_queue, second=second, second_seconds=patience)
    searcher = DatabaseSearcher(database, embedder, reranker=open_reranker(settings))
    budgets = open_budgets(database)
    answering = open_answering(
        database=database,
        searcher=searcher,
        clock=utc_now,
        embedder=retrieval_identity(settings, embedder),
        most_running=settings.most_running_attempts,
        tenants=tenants,
        models=open_models(settings),
        compare=PoolAgreement(embedder),
        judge=open_judge(settings, tenants=tenants, budgets=budgets, clock=utc_now),
        budgets=budgets,
    )
    gatekeeper = open_gatekeeper(settings, searcher=searcher, embedder=embedder, writers=answering.writers)
    try:
        yield Asking(examiner=Examiner(answering=answering, new_id=uuid7), gatekeeper=gatekeeper)
    finally:
        await answering.close()
        await embedder.aclose()
        await database.close()
