"""Search over Postgres: the question is read first, without a session; everything else is one snapshot."""

from collections.abc import AsyncGenerator, Mapping, Sequence
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
    Gathered,
    best_of,
    built_otherwise,
    distinct_terms,
    gather,
    gather_all,
    gather_second,
    guesses_to_read,
    order_by_sentences,
    ordered,
    score,
    usable_arms,
    weigh,
    with_postings,
    with_second,
)
from knowledge.adapters.embedder import EmbeddingPool, Reading
from knowledge.adapters.words import RememberedWords
from knowledge.answering.evidence import evidence_score
from knowledge.ingestion.analyser import term_id
from knowledge.retrieval import fusion
from knowledge.retrieval.explaining import Seen, explain
from knowledge.retrieval.glossary import translations
from knowledge.retrieval.passage import Candidate, Found, Passage, PolicyContext, Scores
from knowledge.retrieval.postings import Postings
from knowledge.retrieval.reranking import Reranker, reordered
from knowledge.retrieval.searching import (
    NoPublishedVersionError,
    PassageDetail,
    RefusalExplanation,
    SearchResult,
    Serving,
)
from knowledge.retrieval.store import opening, reading, scoring
from knowledge.versions.calibration import Calibration, Fitted
from knowledge.versions.conflicts import KnownConflict
from knowledge.versions.routing_policy import RoutingPolicy, calibrated, parse_routing_policy
from knowledge.versions.store.dismissals import hinted, standing_conflicts
from runtime.database import Database
from runtime.logging import get_logger

_log = get_logger("searcher")


@dataclass(frozen=True, slots=True, kw_only=True)
class Noticed:
    """What a process knows of the version that served last. The next question may find another one."""

    number: int
    passages: int
    has_second: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A question in the session of one snapshot."""

    connection: AsyncConnection
    serving: Serving
    asked: Asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Early:
    """What was read of the best passages, and whether two of them may disagree."""

    read: reading.Stretches
    may_disagree: bool


class DatabaseSearcher:
    """Fulfils `Searcher`."""

    def __init__(
        self,
        database: Database,
        embedder: EmbeddingPool,
        *,
        reranker: Reranker | None = None,
        words: RememberedWords | None = None,
    ) -> None:
        """Take the app's database, the pool that reads questions, a reranker if there is one, and what is remembered."""
        self._database = database
        self._embedder = embedder
        self._reranker = reranker
        self._noticed: dict[tuple[str, int | None], Noticed] = {}
        self._words = words
        self._told: set[tuple[str, int]] = set()

    async def serving(self, *, tenant: str, version: int | None = None) -> Serving:
        """See `Searcher.serving`."""
        asks = opening.opening_asks(tenant=tenant, version=version, segments=())
        async with self._database.asking(tenant, asks) as (_, answers):
            row = _served(opening.opening_of(answers).row, version)
        self._notice(tenant, version, row)
        return _serving(row)

    async def search(
        self, *, tenant: str, segments: tuple[str, ...], question: str, as_of: date, version: int | None = None
    ) -> SearchResult:
        """See `Searcher.search`."""
        noticed = self._noticed.get((tenant, version))
        begun = await self._embedder.read_ahead(question, with_second=_may_have_second(noticed))
        looking = self._look(begun, tenant=tenant, segments=segments, as_of=as_of, version=version)
        async with looking as opened:
            full, gathered, early = await self._gather(opened, begun)
            scored = await score(full.connection, full.asked, gathered)
            candidates, passages, conflicts = await self._choose(full, scored, early)
        # The session is closed: a reranker is a call over the network.
        candidates = await self._reranked(question, candidates, passages)
        context = replace(_context(full.asked, full.serving, candidates, passages), conflicts=conflicts)
        return SearchResult(serving=full.serving, context=context)

    async def _gather(self, opened: Opened, begun: Reading) -> tuple[Opened, Gathered, Early | None]:
        """Take what words and the first arm bring while the second still computes, and then what it brings itself.

        What would be shown without the second arm is read in that time too: most of it is shown in the end.
        """
        gathered = await gather(opened.connection, opened.asked)
        second = self._embedder.second
        is_known = begun.second is None or opened.asked.arms.second is not None
        if is_known or second is None or opened.asked.row.second_embedder != second.identity:
            return opened, gathered, None
        early = await _read_best(opened, best_of(await score(opened.connection, opened.asked, gathered)))
        read = await self._embedder.finish(begun)
        asked = with_second(opened.asked, read, first=self._embedder.identity, second=second)
        return replace(opened, asked=asked), await gather_second(opened.connection, asked, gathered), early

    async def _choose(
        self, opened: Opened, scored: dict[UUID, Scores], early: Early | None
    ) -> tuple[tuple[Candidate, ...], dict[UUID, Passage], tuple[KnownConflict, ...]]:
        """Order the best by their sentences too, and take those that are shown with what disagrees with them."""
        connection, asked, view = opened.connection, opened.asked, opened.asked.view
        known = await _read_best(opened, best_of(scored), early)
        candidates, sentences = ordered(asked, scored, known.read.sentences)
        ids = [each.passage_id for each in candidates[: self._read_limit(opened.serving)]]
        conflicts: tuple[KnownConflict, ...] = ()
        if known.may_disagree:
            conflicts = await standing_conflicts(
                connection, version=view.version, audiences=view.audiences, as_of=view.as_of, ids=ids
            )
        return candidates, known.read.passages(ids, sentences), conflicts

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
            standings = await reading.standings(opened.connection, asked.view, ids)
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
        noticed = self._noticed.get((tenant, version))
        begun = await self._embedder.read_whole(question, with_second=_may_have_second(noticed))
        looking = self._look(begun, tenant=tenant, segments=segments, as_of=as_of, version=version)
        async with looking as opened:
            yield opened

    @asynccontextmanager
    async def _look(
        self, begun: Reading, *, tenant: str, segments: tuple[str, ...], as_of: date, version: int | None
    ) -> AsyncGenerator[Opened]:
        """Weigh a question in a snapshot of the version that serves, which is opened while the first arm computes."""
        # What is noticed is as old as the last look at this version; only a question in the very moment of a publication
        # finds another one, and then does without the second arm and without what is remembered.
        noticed = self._noticed.get((tenant, version))
        distinct = distinct_terms(begun.terms)
        numbers = [term_id(term) for term in distinct]
        meant = {term_id(each): term_id(term) for term, meanings in translations(distinct).items() for each in meanings}
        asks = opening.opening_asks(
            tenant=tenant,
            version=version,
            segments=_with_public(segments),
            terms=[*numbers, *meant],
            wanted=self._wanted(tenant, noticed, numbers, meant),
        )
        async with self._database.asking(tenant, asks) as (connection, answers):
            found = opening.opening_of(answers)
            row = _served(found.row, version)
            self._notice(tenant, version, row)
            view = scoring.View(tenant=tenant, version=row.number, audiences=row.audiences, as_of=as_of)
            serving = _serving(row)
            read = await begun.known()
            asked = await weigh(
                connection,
                view=view,
                row=row,
                serving=serving,
                read=read,
                arms=usable_arms(row, read, first=self._embedder.identity, second=self._embedder.second),
                held=found.passages,
            )
            asked = await self._remember(connection, asked, found.postings)
            yield Opened(connection=connection, serving=serving, asked=asked)

    async def still_current(self, *, tenant: str, passage_ids: Sequence[UUID]) -> bool:
        """See `Searcher.still_current`."""
        async with self._database.transaction(tenant) as connection:
            return not await reading.any_withdrawn(connection, tenant=tenant, ids=passage_ids)

    async def read_passage(
        self, *, tenant: str, segments: tuple[str, ...], passage_id: UUID, today: date
    ) -> PassageDetail | None:
        """See `Searcher.read_passage`."""
        async with self._database.snapshot(tenant) as connection:
            audiences = await opening.audiences_of(connection, tenant=tenant, segments=_with_public(segments))
            readable = await reading.find_readable(
                connection, tenant=tenant, passage_id=passage_id, audiences=audiences, today=today
            )
            if readable is None:
                return None
            passages = await reading.read_passages(connection, tenant=tenant, ids=[passage_id], sentences={})
        return PassageDetail(
            passage=passages[passage_id], replaced_by=readable.replaced_by, withdrawn_at=readable.withdrawn_at
        )

    @property
    def _second_identity(self) -> str | None:
        return self._embedder.second.identity if self._embedder.second else None

    def _notice(self, tenant: str, version: int | None, row: opening.ServingRow) -> None:
        """Remember whether a version has the second arm, and say once when it was built with what does not run here."""
        self._noticed[tenant, version] = Noticed(
            number=row.number, passages=row.servable_passages, has_second=row.second_embedder is not None
        )
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

    def _wanted(
        self, tenant: str, noticed: Noticed | None, terms: Sequence[int], meant: Mapping[int, int]
    ) -> opening.Wanted:
        if noticed is None or self._words is None:
            return opening.NOTHING_WANTED
        return self._words.wanted(
            tenant=tenant, version=noticed.number, passages=noticed.passages, terms=terms, meant=meant
        )

    async def _remember(self, connection: AsyncConnection, asked: Asked, fresh: Mapping[int, Postings]) -> Asked:
        """Give the question with the postings at hand; those of a guess that leads alone without any are read now."""
        words, tenant, version, passages = self._words, asked.view.tenant, asked.row.number, asked.row.servable_passages
        if words is None:
            return asked
        words.learn(tenant=tenant, version=version, passages=passages)
        known = words.keep(tenant=tenant, version=version, fresh=fresh, terms=list(asked.weighed))
        asked = with_postings(asked, known)
        wanted = words.wanted(tenant=tenant, version=version, passages=passages, terms=guesses_to_read(asked))
        read = await opening.read_wanted(connection, tenant=tenant, version=version, wanted=wanted)
        return with_postings(asked, words.keep(tenant=tenant, version=version, fresh=read, terms=list(read)))

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


async def _read_best(opened: Opened, best: Sequence[UUID], early: Early | None = None) -> Early:
    """Read the best passages with their sentences, those that were read early only once."""
    if early is not None and not early.read.missing(best):
        return early
    asked, view = opened.asked, opened.asked.view
    ids = list(best) if early is None else early.read.missing(best)
    hint = hinted(version=view.version, ids=best)
    read, hints = await reading.read_best(
        opened.connection, tenant=view.tenant, asked=asked.first, ids=ids, beside=hint
    )
    return Early(read=read if early is None else early.read.joined(read), may_disagree=bool(hints[0].may_stand))


def _may_have_second(noticed: Noticed | None) -> bool:
    return noticed is None or noticed.has_second


def _served(row: opening.ServingRow | None, version: int | None) -> opening.ServingRow:
    if row is None:
        raise NoPublishedVersionError if version is None else NotFoundError("There is no such version to serve from.")
    return row


def _serving(row: opening.ServingRow) -> Serving:
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


def _seen(candidate: Candidate, standing: reading.Standing, question: str, policy: RoutingPolicy) -> Seen:
    strength = evidence_score(candidate.scores, language=standing.language, question=question, weights=policy.weights)
    return Seen(strength=strength, is_visible=standing.is_visible, is_in_force=standing.is_in_force)
