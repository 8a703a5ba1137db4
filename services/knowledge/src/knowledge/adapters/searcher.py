"""Search over Postgres: the question is read first, without a session; everything else is one snapshot."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from contracts.errors import NotFoundError
from contracts.service_token import PUBLIC_SEGMENT
from knowledge.adapters.embedder import EmbeddingPool, ReadQuestion
from knowledge.answering.evidence import evidence_score
from knowledge.ingestion.analyser import term_id
from knowledge.retrieval import fusion, store
from knowledge.retrieval.explaining import Seen, explain
from knowledge.retrieval.passage import Candidate, Found, PolicyContext, Scores, Sentence
from knowledge.retrieval.searching import (
    EXACT_SCAN_LIMIT,
    NoPublishedVersionError,
    PassageDetail,
    RefusalExplanation,
    SearchResult,
    Serving,
)
from knowledge.versions.calibration import Calibration
from knowledge.versions.routing_policy import RoutingPolicy, parse_routing_policy
from runtime.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A question weighed for one version."""

    read: ReadQuestion
    idf: dict[str, float]
    fusion: fusion.Fusion

    @property
    def weighed(self) -> dict[int, float]:
        """Give the idf by term number."""
        return {term_id(term): idf for term, idf in self.idf.items()}


class DatabaseSearcher:
    """Fulfils `Searcher`."""

    def __init__(self, database: Database, embedder: EmbeddingPool) -> None:
        """Take the app's database and the pool that reads questions."""
        self._database = database
        self._embedder = embedder

    async def serving(self, *, tenant: str, version: int | None = None) -> Serving:
        """See `Searcher.serving`."""
        async with self._database.snapshot(tenant) as connection:
            return _serving(await _find_serving(connection, tenant=tenant, version=version, segments=()))

    async def search(
        self, *, tenant: str, segments: tuple[str, ...], question: str, as_of: date, version: int | None = None
    ) -> SearchResult:
        """See `Searcher.search`."""
        read = await self._embedder.read(question)
        async with self._database.snapshot(tenant) as connection:
            row = await _find_serving(connection, tenant=tenant, version=version, segments=segments)
            serving = _serving(row)
            view = store.View(tenant=tenant, version=row.number, audiences=row.audiences, as_of=as_of)
            asked = await _weigh(connection, view, row, serving, read)
            scored = await _candidates(connection, view, row, asked)
            context = await _context(connection, view, serving, asked, scored)
        return SearchResult(serving=serving, context=context)

    async def explain_refusal(
        self, *, tenant: str, segments: tuple[str, ...], question: str, as_of: date, version: int
    ) -> RefusalExplanation:
        """See `Searcher.explain_refusal`."""
        read = await self._embedder.read(question)
        async with self._database.snapshot(tenant) as connection:
            row = await _find_serving(connection, tenant=tenant, version=version, segments=segments)
            serving = _serving(row)
            view = store.View(tenant=tenant, version=row.number, audiences=row.audiences, as_of=as_of)
            asked = await _weigh(connection, view, row, serving, read)
            lexical = await store.all_lexical(connection, view, asked.weighed, limit=fusion.ARM_LIMIT)
            similar = await store.all_similar(connection, view, read.vector, limit=fusion.ARM_LIMIT)
            scored = await _completed(connection, view, asked, lexical=lexical, similar=similar)
            candidates, _ = await _by_sentences(connection, view, asked, scored)
            standings = await store.standings(connection, view, [each.passage_id for each in candidates])
        policy = serving.routing_policy
        seen = [_seen(each, standings[each.passage_id], question, policy) for each in candidates]
        cause = explain(seen, answer_from=policy.thresholds.answer_from)
        return RefusalExplanation(cause=cause, candidates=candidates)

    async def still_current(self, *, tenant: str, passage_ids: Sequence[UUID]) -> bool:
        """See `Searcher.still_current`."""
        async with self._database.transaction(tenant) as connection:
            return not await store.any_withdrawn(connection, tenant=tenant, ids=passage_ids)

    async def read_passage(
        self, *, tenant: str, segments: tuple[str, ...], passage_id: UUID, today: date
    ) -> PassageDetail | None:
        """See `Searcher.read_passage`."""
        async with self._database.snapshot(tenant) as connection:
            audiences = await store.audiences_of(connection, tenant=tenant, segments=_with_public(segments))
            readable = await store.find_readable(
                connection, tenant=tenant, passage_id=passage_id, audiences=audiences, today=today
            )
            if readable is None:
                return None
            passages = await store.read_passages(connection, tenant=tenant, ids=[passage_id], sentences={})
        return PassageDetail(
            passage=passages[passage_id], replaced_by=readable.replaced_by, withdrawn_at=readable.withdrawn_at
        )


async def _find_serving(
    connection: AsyncConnection, *, tenant: str, version: int | None, segments: tuple[str, ...]
) -> store.ServingRow:
    row = await store.find_serving(connection, tenant=tenant, version=version, segments=_with_public(segments))
    if row is None:
        raise NoPublishedVersionError if version is None else NotFoundError("There is no such version to serve from.")
    return row


def _serving(row: store.ServingRow) -> Serving:
    return Serving(
        version=row.number,
        routing_policy=parse_routing_policy(row.routing_policy),
        calibration=Calibration(
            mean=row.calibration["mean"], sd=row.calibration["sd"], pairs=int(row.calibration["pairs"])
        ),
    )


def _with_public(segments: tuple[str, ...]) -> tuple[str, ...]:
    """Add what everybody may see."""
    return tuple(dict.fromkeys((*segments, PUBLIC_SEGMENT)))


async def _weigh(
    connection: AsyncConnection, view: store.View, row: store.ServingRow, serving: Serving, read: ReadQuestion
) -> _Asked:
    distinct = list(dict.fromkeys(read.terms))[: fusion.MOST_DISTINCT]
    numbers = {term: term_id(term) for term in distinct}
    known = await store.frequencies(connection, tenant=view.tenant, version=view.version, terms=list(numbers.values()))
    idf = fusion.weigh_terms(
        distinct,
        {term: known.get(number, 0) for term, number in numbers.items()},
        passages=row.servable_passages,
        drop_common=row.servable_passages > EXACT_SCAN_LIMIT,
    )
    scale = fusion.Fusion(
        weights=serving.routing_policy.weights,
        calibration=serving.calibration,
        bm25_maximum=fusion.bm25_maximum(idf.values()),
    )
    return _Asked(read=read, idf=idf, fusion=scale)


async def _candidates(
    connection: AsyncConnection, view: store.View, row: store.ServingRow, asked: _Asked
) -> dict[UUID, Scores]:
    """Take the best of both arms and give each the score of the other arm too."""
    lexical = await store.lexical_arm(connection, view, asked.weighed, limit=fusion.ARM_LIMIT)
    # Vectors of the past are cold: a question about a day before the version was built is compared with every one.
    approximate = row.hot and view.as_of >= row.staged_at.date()
    arm = store.approximate_arm if approximate else store.exact_arm
    similar = await arm(connection, view, asked.read.vector, limit=fusion.ARM_LIMIT)
    return await _completed(connection, view, asked, lexical=lexical, similar=similar)


async def _completed(
    connection: AsyncConnection,
    view: store.View,
    asked: _Asked,
    *,
    lexical: dict[UUID, float],
    similar: dict[UUID, float],
) -> dict[UUID, Scores]:
    without_bm25 = [each for each in similar if each not in lexical]
    without_cosine = [each for each in lexical if each not in similar]
    lexical |= await store.lexical_of(connection, tenant=view.tenant, weighed=asked.weighed, ids=without_bm25)
    similar |= await store.similarity_of(connection, tenant=view.tenant, question=asked.read.vector, ids=without_cosine)
    return {
        passage_id: asked.fusion.scores(bm25=lexical.get(passage_id, 0.0), cosine=cosine)
        for passage_id, cosine in similar.items()
    }


async def _by_sentences(
    connection: AsyncConnection, view: store.View, asked: _Asked, scored: dict[UUID, Scores]
) -> tuple[tuple[Candidate, ...], dict[UUID, tuple[Sentence, ...]]]:
    """Order the best passages by their best sentence too; the others follow as they were."""
    first = fusion.order(scored)
    best = [each.passage_id for each in first[: fusion.SENTENCE_LIMIT]]
    sentences = await store.sentences_of(connection, tenant=view.tenant, question=asked.read.vector, ids=best)
    again: dict[UUID, Scores] = {}
    for passage_id in best:
        nearest = max((each.similarity for each in sentences.get(passage_id, ())), default=None)
        raw = scored[passage_id]
        again[passage_id] = asked.fusion.scores(bm25=raw.bm25, cosine=raw.cosine, best_sentence=nearest)
    return (*fusion.order(again), *first[fusion.SENTENCE_LIMIT :]), sentences


async def _context(
    connection: AsyncConnection, view: store.View, serving: Serving, asked: _Asked, scored: dict[UUID, Scores]
) -> PolicyContext:
    candidates, sentences = await _by_sentences(connection, view, asked, scored)
    bounds = serving.routing_policy.bounds
    shown = candidates[: min(bounds.context_passages, fusion.SENTENCE_LIMIT)]
    ids = [each.passage_id for each in shown]
    passages = await store.read_passages(connection, tenant=view.tenant, ids=ids, sentences=sentences)
    found = [Found(passage=passages[each.passage_id], scores=each.scores) for each in shown]
    return PolicyContext(
        version=view.version,
        found=fusion.within_bounds(found, bounds),
        candidates=candidates,
        term_idf=asked.idf,
    )


def _seen(candidate: Candidate, standing: store.Standing, question: str, policy: RoutingPolicy) -> Seen:
    strength = evidence_score(candidate.scores, language=standing.language, question=question, weights=policy.weights)
    return Seen(strength=strength, is_visible=standing.is_visible, is_in_force=standing.is_in_force)
