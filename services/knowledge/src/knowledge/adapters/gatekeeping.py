"""Says under which settings this process answers, for the gate and for runs."""

from collections.abc import Callable
from dataclasses import dataclass

from contracts.errors import NotFoundError
from knowledge.adapters.embedder import EmbeddingPool
from knowledge.adapters.writers import Writers
from knowledge.evaluation.fingerprint import digests, settings_for
from knowledge.retrieval.searching import Searcher
from knowledge.settings import KnowledgeSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Gatekeeper:
    """Knows the settings of this process. `retrieval` names what reads questions, `writer_of` what words a tenant's answers.

    `opinion_of` names the model whose second opinion on claims a tenant has; empty where it has none.
    """

    searcher: Searcher
    retrieval: str
    writer_of: Callable[[str], str]
    opinion_of: Callable[[str], str]

    async def settings_of(self, *, tenant: str, version: int) -> dict[str, str]:
        """Give the digest of every setting behind a version's answers; none for a version that cannot answer."""
        try:
            serving = await self.searcher.serving(tenant=tenant, version=version)
        except NotFoundError:
            return {}
        writer, opinion = self.writer_of(tenant), self.opinion_of(tenant)
        return digests(settings_for(serving, embedder=self.retrieval, writer=writer, second_opinion=opinion))


def open_gatekeeper(
    settings: KnowledgeSettings, *, searcher: Searcher, embedder: EmbeddingPool, writers: Writers
) -> Gatekeeper:
    """Put together what names the settings of this process."""

    def opinion_of(tenant: str) -> str:
        known = writers.tenants.find(tenant)
        is_asked = settings.checker_base_url is not None and known is not None and known.second_opinion
        return settings.checker_model if is_asked else ""

    retrieval = retrieval_identity(settings, embedder)
    return Gatekeeper(searcher=searcher, retrieval=retrieval, writer_of=writers.identity, opinion_of=opinion_of)


def retrieval_identity(settings: KnowledgeSettings, embedder: EmbeddingPool) -> str:
    """Name everything that reads and orders by a model: both arms and the reranker."""
    second = embedder.second.identity if embedder.second is not None else ""
    reranker = settings.rerank_model if settings.rerank_url is not None else ""
    return f"{embedder.identity} {second} {reranker}".strip()
