"""Search over Postgres: the question is read first, without a session; everything else is one snapshot."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from contracts.errors import NotFoundError
from contracts.service_token import PUBLIC_SEGMENT
from knowledge.adapters.candidates import (
    Asked,
    best_of,
    built_otherwise,
    distinct_terms,
    gather,
    gather_all,
    order_by_sentences,
    ordered,
    score,
    usable_arms,
    weigh,
)
from knowledge.adapters.embedder import EmbeddingPool
from knowledge.answering.evidence import evidence_score
from knowledge.ingestion.analyser import term_id
from knowledge.retrieval import fusion, store
from knowledge.retrieval.explaining import Seen, explain
from knowledge.retrieval.passage import Candidate, Found, Passage, PolicyContext, Scores
from knowledge.retrieval.reranking import Reranker, reordered
from knowledge.retrieval.searching import (
    NoPublishedVersionError,
    PassageDetail,
    RefusalExplanation,
    SearchResult,
    Serving,
)
from knowledge.versions.calibration import Calibration, Fitted
from knowledge.versions.conflicts import KnownConflict
from knowledge.versions.routing_policy import RoutingPolicy, calibrated, parse_routing_policy
from knowledge.versions.store.dismissals import hinted, standing_conflicts
from runtime.database import Database
from runtime.logging import get_logger

_log = get_logger("searcher")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A question in the session of one snapshot."""

    connection: AsyncConnection
    serving: Serving
    asked: Asked


class DatabaseSearcher:
    """Fulfils `Searcher`."""

    def __init__(self, database: Database, embedder: EmbeddingPool, *, reranker: Reranker | None = None) -> None:
        """Take the app's database, the pool that reads questions, and a reranker if there is one."""
        self._database = database
        self._embedder = embedder
        self._reranker = reranker
        self._has_second: dict[tuple[str, int | None], bool] = {}
        self._told: set[tuple[str, int]] = set()

    async def serving(self, *, tenant: str, version: int | None = None) -> Serving:
        """See `Searcher.serving`."""
        async with self._database.snapshot(tenant) as connection:
            row, _ = await _find_serving(connection, tenant=tenant, version=version, segments=(), terms=())
            self._notice(tenant, version, row)
            return _serving(row)

    async def search(
        self, *, tenant: str, segments: tuple[str, ...], question: str, as_of: date, version: int | None = None
    ) -> SearchResult:
        """See `Searcher.search`."""
        asking = self.open(tenant=tenant, segments=segments, question=question, as_of=as_of, version=version)
        async with asking as opened:
            asked = opened.asked
            scored = await score(opened.connection, asked, await gather(opened.connection, asked))
            candidates, passages, conflicts = await self._read_best(opened, scored)
        # The session is closed: a reranker is a call over the network.
        candidates = await self._reranked(question, candidates, passages)
        context = replace(_context(asked, opened.serving, candidates, passages), conflicts=conflicts)
        return SearchResult(serving=opened.serving, context=context)

    async def _read_best(
        self, opened: Opened, scored: dict[UUID, Scores]
    ) -> tuple[tuple[Candidate, ...], dict[UUID, Passage], tuple[KnownConflict, ...]]:
        """Order the best by their sentences too, and read those that are shown with what disagrees with them."""
        connection, asked, view = opened.connection, opened.asked, opened.asked.view
        best = best_of(scored)
        hint = hinted(version=view.version, ids=best)
        read, hints = await store.read_best(connection, tenant=view.tenant, asked=asked.first, ids=best, beside=hint)
        candidates, sentences = ordered(asked, scored, read.sentences)
        ids = [each.passage_id for each in candidates[: self._read_limit(opened.serving)]]
        conflicts: tuple[KnownConflict, ...] = ()
        if hints[0].may_stand:
            conflicts = await standing_conflicts(
                connection, version=view.version, audiences=view.audiences, as_of=view.as_of, ids=ids
            )
        return candidates, read.passages(ids, sentences), conflicts

    async def explain_refusal(
        self, *, tenant: str, segments: tuple[str, ...], question: str, as_of: date, version: int
    ) -> RefusalExplanation:
        """See `Searcher.explain_refusal`."""
        asking = self.open(tenant=tenant, segments=segments, question=question, as_of=as_of, version=version)
        async with asking as opened:
            asked = opened.asked
            scored = await score(opened.connection, asked, await gather_all(opened.connection, asked))
            candidates, _ = await order_by_sentences(opened.connection, asked, scored)
            ids = [each.passage_id for each in candidates]
            standings = await store.standings(opened.connection, asked.view, ids)
        policy = opened.serving.routing_policy
        seen = [_seen(each, standings[each.passage_id], question, policy) for each in candidates]
        cause = explain(seen, answer_from=policy.thresholds.answer_from)
        return RefusalExplanation(cause=cause, candidates=candidates)

    @asynccontextmanager
    async def open(
        self, *, tenant: str, segments: tuple[str, ...], question: str, as_of: date, version: int | None
    ) -> AsyncGenerator[Opened]:
        """Read a question with the arms of the version that serves, then weigh it in one snapshot of that version.

        Errors: as `Searcher.search`.
        """
        # What is known is as old as the last look at this version; only a question in the very moment of a publication
        # finds another one, and then does without the second arm.
        read = await self._embedder.read(question, with_second=self._has_second.get((tenant, version), True))
        async with self._database.snapshot(tenant) as connection:
            numbers = [term_id(term) for term in distinct_terms(read)]
            row, held = await _find_serving(
                connection, tenant=tenant, version=version, segments=segments, terms=numbers
            )
            self._notice(tenant, version, row)
            view = store.View(tenant=tenant, version=row.number, audiences=row.audiences, as_of=as_of)
            arms = usable_arms(row, read, first=self._embedder.identity, second=self._embedder.second)
            serving = _serving(row)
            asked = await weigh(connection, view=view, row=row, serving=serving, read=read, arms=arms, held=held)
            yield Opened(connection=connection, serving=serving, asked=asked)

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

    @property
    def _second_identity(self) -> str | None:
        return self._embedder.second.identity if self._embedder.second else None

    def _notice(self, tenant: str, version: int | None, row: store.ServingRow) -> None:
        """Remember whether a version has the second arm, and say once when it was built with what does not run here."""
        self._has_second[tenant, version] = row.second_embedder is not None
        foreign = built_otherwise(
            row.analyser,
            row.embedder,
            row.second_embedder,
            first=self._embedder.identity,
            second=self._second_identity,
        )
        if foreign and (tenant, row.number) not in self._told:
            self._told.add((tenant, row.number))
            _log.warning("arms_left_out", tenant=tenant, version=row.number, built_with=foreign)

    def _read_limit(self, serving: Serving) -> int:
        """Say how many passages are read: those that are shown, or all that a reranker may move up."""
        shown = serving.routing_policy.bounds.context_passages
        return fusion.SENTENCE_LIMIT if self._reranker else min(shown, fusion.SENTENCE_LIMIT)

    async def _reranked(
        self, question: str, candidates: tuple[Candidate, ...], passages: dict[UUID, Passage]
    ) -> tuple[Candidate, ...]:
        if self._reranker is None or not passages:
            return candidates
        texts = [passages[each.passage_id].text for each in candidates[: len(passages)]]
        judged = await self._reranker.judge(question, texts)
        return candidates if judged is None else reordered(candidates, judged)


def _context(
    asked: Asked, serving: Serving, candidates: tuple[Candidate, ...], passages: dict[UUID, Passage]
) -> PolicyContext:
    shown = [each for each in candidates if each.passage_id in passages]
    found = [Found(passage=passages[each.passage_id], scores=each.scores) for each in shown]
    return PolicyContext(
        version=asked.view.version,
        found=fusion.within_bounds(found, serving.routing_policy.bounds),
        candidates=candidates,
        term_idf=asked.idf,
    )


async def _find_serving(
    connection: AsyncConnection, *, tenant: str, version: int | None, segments: tuple[str, ...], terms: Sequence[int]
) -> tuple[store.ServingRow, dict[int, int]]:
    row, held = await store.find_serving(
        connection, tenant=tenant, version=version, segments=_with_public(segments), terms=terms
    )
    if row is None:
        raise NoPublishedVersionError if version is None else NotFoundError("There is no such version to serve from.")
    return row, held


def _serving(row: store.ServingRow) -> Serving:
    calibration = _calibration(row.calibration)
    policy = calibrated(parse_routing_policy(row.routing_policy), calibration)
    return Serving(version=row.number, routing_policy=policy, calibration=calibration)


def _calibration(stored: dict[str, Any]) -> Calibration:  # numbers, and the same again for a second arm
    second, fitted = stored.get("second"), stored.get("fitted")
    return Calibration(
        mean=stored["mean"],
        sd=stored["sd"],
        pairs=int(stored["pairs"]),
        second=None if second is None else _calibration(second),
        fitted=None if fitted is None else Fitted(**fitted),
    )


def _with_public(segments: tuple[str, ...]) -> tuple[str, ...]:
    """Add what everybody may see."""
    return tuple(dict.fromkeys((*segments, PUBLIC_SEGMENT)))


def _seen(candidate: Candidate, standing: store.Standing, question: str, policy: RoutingPolicy) -> Seen:
    strength = evidence_score(candidate.scores, language=standing.language, question=question, weights=policy.weights)
    return Seen(strength=strength, is_visible=standing.is_visible, is_in_force=standing.is_in_force)
