"""Opens a search up for staff: what each arm brings, and beside it everything that a condition kept back."""

from dataclasses import dataclass
from datetime import date
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.adapters.candidates import Asked, Gathered, gather, gather_anywhere, order_by_sentences, score
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.answering.evidence import evidence_score
from knowledge.retrieval import fusion
from knowledge.retrieval.inspecting import ArmCandidates, Inspected, Inspection, Record, fates_of
from knowledge.retrieval.passage import Candidate
from knowledge.retrieval.store import reading
from knowledge.versions.routing_policy import RoutingPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class _Looked:
    """Both searches of one question."""

    gathered: Gathered
    ordered: tuple[Candidate, ...]
    shown: tuple[UUID, ...]
    records: dict[UUID, Record]


class DatabaseInspector:
    """Fulfils `Inspector` with the searcher of the product."""

    def __init__(self, searcher: DatabaseSearcher) -> None:
        """Take the searcher whose work is opened up."""
        self._searcher = searcher

    async def inspect(
        self, *, tenant: str, segments: tuple[str, ...], question: str, as_of: date, version: int | None
    ) -> Inspection:
        """See `Inspector.inspect`. A reranker is not asked: the order is the one before it."""
        asking = self._searcher.open(tenant=tenant, segments=segments, question=question, as_of=as_of, version=version)
        async with asking as opened:
            policy = opened.serving.routing_policy
            looked = await _look(opened.connection, opened.asked, policy)
        return Inspection(
            version=opened.serving.version,
            terms=opened.asked.idf,
            arms=_arms(opened.asked, looked.gathered),
            passages=tuple(_inspected(each, looked, question, policy) for each in looked.ordered),
        )


async def _look(connection: AsyncConnection, asked: Asked, policy: RoutingPolicy) -> _Looked:
    gathered = await gather(connection, asked)
    served, _ = await order_by_sentences(connection, asked, await score(connection, asked, gathered))
    anywhere = await score(connection, asked, await gather_anywhere(connection, asked))
    known = {each.passage_id for each in served}
    kept_back = fusion.order({each: scores for each, scores in anywhere.items() if each not in known})
    ordered = tuple(sorted((*served, *kept_back), key=lambda each: -each.scores.fused))
    records = await reading.records_of(connection, asked.view, [each.passage_id for each in ordered])
    shown = tuple(each.passage_id for each in served[: policy.bounds.context_passages])
    return _Looked(gathered=gathered, ordered=ordered, shown=shown, records=records)


def _arms(asked: Asked, gathered: Gathered) -> tuple[ArmCandidates, ...]:
    row, arms = asked.row, asked.arms
    return (
        _arm("words", row.analyser, gathered.lexical, is_used=arms.words),
        _arm("first", row.embedder, gathered.similar, is_used=arms.first),
        _arm("second", row.second_embedder, gathered.second, is_used=arms.second is not None),
    )


def _arm(name: str, built_with: str | None, found: dict[UUID, float], *, is_used: bool) -> ArmCandidates:
    return ArmCandidates(name=name, built_with=built_with, is_used=is_used, candidates=tuple(found.items()))


def _inspected(candidate: Candidate, looked: _Looked, question: str, policy: RoutingPolicy) -> Inspected:
    record = looked.records[candidate.passage_id]
    strength = evidence_score(candidate.scores, language=record.language, question=question, weights=policy.weights)
    fates = fates_of(record, strength=strength, refuse_below=policy.thresholds.refuse_below, in_context=looked.shown)
    return Inspected(record=record, scores=candidate.scores, strength=strength, fates=fates)
