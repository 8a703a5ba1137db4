"""Collects the candidates of a question from the arms of a version, in the session it is handed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.adapters.embedder import ReadQuestion
from knowledge.ingestion.analyser import ANALYSER, term_id
from knowledge.ingestion.embedding import SecondEmbedder
from knowledge.retrieval import fusion, spelling, statements, store
from knowledge.retrieval.passage import Candidate, Scores, Sentence
from knowledge.retrieval.searching import EXACT_SCAN_LIMIT, IndexedOtherwiseError, Serving

# A customer who sees less than this part of a version is searched for from what they see.
_MUCH: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Arms:
    """Which arms of a version this process may use: those that were built by what it runs itself."""

    words: bool
    first: bool
    second: store.Compared | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question weighed for one version.

    `guessed` are the terms that stand in the place of misspelt words, `leading` those that find candidates.
    """

    view: store.View
    row: store.ServingRow
    read: ReadQuestion
    idf: dict[str, float]
    fusion: fusion.Fusion
    arms: Arms
    leading: frozenset[str]
    guessed: frozenset[str] = frozenset()

    @property
    def weighed(self) -> dict[int, float]:
        """Give the idf by term number."""
        return {term_id(term): idf for term, idf in self.idf.items()}

    @property
    def as_typed(self) -> dict[int, float]:
        """Give the idf by term number of the words that the customer typed."""
        return {term_id(term): idf for term, idf in self.idf.items() if term not in self.guessed}

    @property
    def first(self) -> store.Compared:
        """Give the vector of the first arm with its table."""
        return store.Compared(question=self.read.first)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What each arm brings by itself, best first."""

    lexical: dict[UUID, float]
    similar: dict[UUID, float]
    second: dict[UUID, float]


def usable_arms(row: store.ServingRow, read: ReadQuestion, *, first: str, second: SecondEmbedder | None) -> Arms:
    """Compare what a version was built with to what runs here. Errors: IndexedOtherwiseError when no arm is left."""
    arms = Arms(
        words=row.analyser == ANALYSER,
        first=row.embedder == first,
        second=_second(read, second) if second is not None and row.second_embedder == second.identity else None,
    )
    if not (arms.words or arms.first):
        raise IndexedOtherwiseError
    return arms


def built_otherwise(
    analyser: str, embedder: str, second_embedder: str | None, *, first: str, second: str | None
) -> list[str]:
    """Name what a version was built with and what does not run here."""
    pairs = ((analyser, ANALYSER), (embedder, first), (second_embedder, second))
    return [built for built, running in pairs if built is not None and built != running]


async def weigh(  # noqa: PLR0913 - a question, a version, and what reads both
    connection: AsyncConnection,
    *,
    view: store.View,
    row: store.ServingRow,
    serving: Serving,
    read: ReadQuestion,
    arms: Arms,
) -> Asked:
    """Weigh the terms of a question by how rare they are in a version."""
    distinct = list(dict.fromkeys(read.terms))[: fusion.MOST_DISTINCT] if arms.words else []
    frequencies = await _frequencies(connection, view, distinct)
    terms, frequencies = await _corrected(connection, view, distinct, frequencies)
    guessed = frozenset(terms) - frozenset(distinct)
    is_large = row.servable_passages > EXACT_SCAN_LIMIT
    idf = fusion.weigh_terms(terms, frequencies, passages=row.servable_passages, drop_common=is_large)
    leading = fusion.leading_terms(idf, frequencies) if is_large else frozenset(idf)
    scale = fusion.Fusion(
        weights=serving.routing_policy.weights,
        calibration=serving.calibration,
        bm25_maximum=fusion.bm25_maximum(idf.values()),
    )
    return Asked(view=view, row=row, read=read, idf=idf, fusion=scale, arms=arms, leading=leading, guessed=guessed)


async def gather_words(connection: AsyncConnection, asked: Asked) -> dict[UUID, float]:
    """Take what words alone bring, by the shorter way for a customer who sees much of a version."""
    view, weighed, limit = asked.view, asked.weighed, fusion.ARM_LIMIT
    if asked.row.visible * _MUCH < asked.row.servable_passages:
        return await store.lexical_arm(connection, view, weighed, limit=limit)
    leading = frozenset(term_id(term) for term in asked.leading)
    return await store.broad_lexical_arm(connection, view, weighed, leading=leading, limit=limit)


async def gather(connection: AsyncConnection, asked: Asked) -> Gathered:
    """Take the best of each arm that this customer may be answered from."""
    view, row = asked.view, asked.row
    lexical = await gather_words(connection, asked)
    # Vectors of the past are cold: a question about a day before the version was built is compared with every one. So is
    # the question of a customer who sees little: the graph would be walked far and wide for the few that count.
    approximate = row.hot and row.visible > EXACT_SCAN_LIMIT and view.as_of >= row.built_day
    width = store.graph_width(row.servable_passages)
    arm = partial(store.approximate_arm, width=width) if approximate else store.exact_arm
    similar = await arm(connection, view, asked.first, limit=fusion.ARM_LIMIT) if asked.arms.first else {}
    wanted = asked.arms.second
    second = await arm(connection, view, wanted, limit=fusion.ARM_LIMIT) if wanted else {}
    return Gathered(lexical=lexical, similar=similar, second=second)


async def gather_all(connection: AsyncConnection, asked: Asked) -> Gathered:
    """Take the best of each arm whoever may see it and whenever it holds."""
    view, wanted = asked.view, asked.arms.second
    limit = fusion.ARM_LIMIT
    similar = await store.all_similar(connection, view, asked.first, limit=limit) if asked.arms.first else {}
    return Gathered(
        lexical=await store.all_lexical(connection, view, asked.weighed, limit=limit),
        similar=similar,
        second=await store.all_similar(connection, view, wanted, limit=limit) if wanted else {},
    )


async def gather_anywhere(connection: AsyncConnection, asked: Asked) -> Gathered:
    """Take the best of each arm from all that the tenant ever had."""
    tenant, wanted, limit = asked.view.tenant, asked.arms.second, fusion.ARM_LIMIT
    similar: dict[UUID, float] = {}
    if asked.arms.first:
        similar = await store.anywhere_similar(connection, tenant=tenant, asked=asked.first, limit=limit)
    second: dict[UUID, float] = {}
    if wanted:
        second = await store.anywhere_similar(connection, tenant=tenant, asked=wanted, limit=limit)
    lexical = await store.anywhere_lexical(connection, tenant=tenant, weighed=asked.weighed, limit=limit)
    return Gathered(lexical=lexical, similar=similar, second=second)


async def score(connection: AsyncConnection, asked: Asked, gathered: Gathered) -> dict[UUID, Scores]:
    """Give each passage the scores of the arms that did not bring it, and fuse them."""
    ids = list(dict.fromkeys((*gathered.lexical, *gathered.similar, *gathered.second)))
    lexical = await _with_lexical(connection, asked, gathered.lexical, ids)
    first = asked.first if asked.arms.first else None
    similar = await _with_similarity(connection, asked, first, gathered.similar, ids)
    second = await _with_similarity(connection, asked, asked.arms.second, gathered.second, ids)
    unrelated = asked.fusion.calibration.mean
    typed = await _as_typed(connection, asked, lexical, ids)
    return {
        each: asked.fusion.scores(
            bm25=lexical.get(each, 0.0),
            typed=typed.get(each, 0.0),
            cosine=similar.get(each, unrelated),
            second=second.get(each),
        )
        for each in ids
    }


async def order_by_sentences(
    connection: AsyncConnection, asked: Asked, scored: dict[UUID, Scores]
) -> tuple[tuple[Candidate, ...], dict[UUID, tuple[Sentence, ...]]]:
    """Order the best passages by their best sentence too; the others follow as they were."""
    first = fusion.order(scored)
    best = [each.passage_id for each in first[: fusion.SENTENCE_LIMIT]]
    sentences = await store.sentences_of(connection, tenant=asked.view.tenant, asked=asked.first, ids=best)
    if not asked.arms.first:
        return tuple(first), {each: _unplaced(found) for each, found in sentences.items()}
    again: dict[UUID, Scores] = {}
    for passage_id in best:
        nearest = max((each.similarity for each in sentences.get(passage_id, ())), default=None)
        raw = scored[passage_id]
        again[passage_id] = asked.fusion.scores(
            bm25=raw.bm25,
            typed=raw.bm25_share * asked.fusion.bm25_maximum,
            cosine=raw.cosine,
            best_sentence=nearest,
            second=raw.second,
        )
    return (*fusion.order(again), *first[fusion.SENTENCE_LIMIT :]), sentences


async def _frequencies(connection: AsyncConnection, view: store.View, terms: Sequence[str]) -> dict[str, int]:
    numbers = {term: term_id(term) for term in terms}
    known = await store.frequencies(connection, tenant=view.tenant, version=view.version, terms=list(numbers.values()))
    return {term: known[number] for term, number in numbers.items() if number in known}


async def _corrected(
    connection: AsyncConnection, view: store.View, terms: list[str], frequencies: dict[str, int]
) -> tuple[list[str], dict[str, int]]:
    """Put the words that were probably meant in the place of those that the index does not know."""
    words = spelling.doubtful(terms, frequencies)
    if not words:
        return terms, frequencies
    near = {neighbour for word in words for neighbour in spelling.neighbours(word)}
    known = await _frequencies(connection, view, sorted(near))
    read_as = {word: spelling.meant(word, known) or word for word in words}
    return [read_as.get(term, term) for term in terms], known | frequencies


def _second(read: ReadQuestion, second: SecondEmbedder) -> store.Compared | None:
    if read.second is None:
        return None
    return store.Compared(question=read.second, vectors=statements.second(second.dimension), arm=second.identity)


async def _with_lexical(
    connection: AsyncConnection, asked: Asked, known: dict[UUID, float], ids: Sequence[UUID]
) -> dict[UUID, float]:
    missing = [each for each in ids if each not in known]
    return known | await store.lexical_of(
        connection, tenant=asked.view.tenant, weighed=asked.weighed, ids=missing if asked.idf else ()
    )


async def _as_typed(
    connection: AsyncConnection, asked: Asked, lexical: dict[UUID, float], ids: Sequence[UUID]
) -> dict[UUID, float]:
    """Give what the words as they were typed say: a guess may find a passage, and is no evidence for it."""
    if not asked.guessed:
        return lexical
    weighed = asked.as_typed
    return await store.lexical_of(connection, tenant=asked.view.tenant, weighed=weighed, ids=ids if weighed else ())


async def _with_similarity(
    connection: AsyncConnection,
    asked: Asked,
    compared: store.Compared | None,
    known: dict[UUID, float],
    ids: Sequence[UUID],
) -> dict[UUID, float]:
    if compared is None:
        return {}
    missing = [each for each in ids if each not in known]
    return known | await store.similarity_of(connection, tenant=asked.view.tenant, asked=compared, ids=missing)


def _unplaced(sentences: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
    """Forget similarities that another embedder's vectors would give."""
    return tuple(replace(each, similarity=0.0) for each in sentences)
