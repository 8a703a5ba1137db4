"""Collects the candidates of a question from the arms of a version, in the session it is handed."""

from collections.abc import Mapping, Sequence
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
from knowledge.retrieval.searching import EXACT_SCAN_LIMIT, IndexedOtherwiseError, Serving, graph_width

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

    @property
    def compared(self) -> tuple[store.Compared | None, store.Compared | None]:
        """Give the vectors of the arms that are used, the first one's and the second one's."""
        return (self.first if self.arms.first else None), self.arms.second


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


def distinct_terms(read: ReadQuestion) -> list[str]:
    """List each term of a question once, no more than a search bears."""
    return list(dict.fromkeys(read.terms))[: fusion.MOST_DISTINCT]


async def weigh(  # noqa: PLR0913 - a question, a version, and what reads both
    connection: AsyncConnection,
    *,
    view: store.View,
    row: store.ServingRow,
    serving: Serving,
    read: ReadQuestion,
    arms: Arms,
    held: Mapping[int, int],
) -> Asked:
    """Weigh the terms of a question by how rare they are in a version: `held` says how many passages hold each."""
    distinct = distinct_terms(read) if arms.words else []
    frequencies = _by_term(distinct, held)
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
    """Take what words alone bring."""
    (lexical,) = await store.score_together(connection, [_words(asked)])
    return lexical


async def gather(connection: AsyncConnection, asked: Asked) -> Gathered:
    """Take the best of each arm that this customer may be answered from."""
    view, row = asked.view, asked.row
    # Vectors of the past are cold: a question about a day before the version was built is compared with every one. So is
    # the question of a customer who sees little: the graph would be walked far and wide for the few that count.
    approximate = row.hot and row.visible > EXACT_SCAN_LIMIT and view.as_of >= row.built_day
    width = graph_width(row.servable_passages)
    arm = partial(store.approximate_arm, width=width) if approximate else store.exact_arm
    near = [arm(view, each, limit=fusion.ARM_LIMIT) if each else store.NOTHING for each in asked.compared]
    return await _gathered(connection, _words(asked), *near)


async def gather_all(connection: AsyncConnection, asked: Asked) -> Gathered:
    """Take the best of each arm whoever may see it and whenever it holds."""
    view, limit = asked.view, fusion.ARM_LIMIT
    near = [store.all_similar(view, each, limit=limit) if each else store.NOTHING for each in asked.compared]
    return await _gathered(connection, store.all_lexical(view, asked.weighed, limit=limit), *near)


async def gather_anywhere(connection: AsyncConnection, asked: Asked) -> Gathered:
    """Take the best of each arm from all that the tenant ever had."""
    tenant, limit = asked.view.tenant, fusion.ARM_LIMIT
    similar = partial(store.anywhere_similar, tenant=tenant, limit=limit)
    near = [similar(asked=each) if each else store.NOTHING for each in asked.compared]
    return await _gathered(connection, store.anywhere_lexical(tenant=tenant, weighed=asked.weighed, limit=limit), *near)


async def score(connection: AsyncConnection, asked: Asked, gathered: Gathered) -> dict[UUID, Scores]:
    """Give each passage the scores of the arms that did not bring it, and fuse them."""
    ids = list(dict.fromkeys((*gathered.lexical, *gathered.similar, *gathered.second)))
    tenant, (first, second) = asked.view.tenant, asked.compared
    missing = await store.score_together(
        connection,
        [
            store.lexical_of(tenant=tenant, weighed=asked.weighed, ids=_without(gathered.lexical, ids)),
            _similarity(tenant, first, _without(gathered.similar, ids)),
            _similarity(tenant, second, _without(gathered.second, ids)),
            # A guess may find a passage, and is no evidence for it.
            store.lexical_of(tenant=tenant, weighed=asked.as_typed, ids=ids) if asked.guessed else store.NOTHING,
        ],
    )
    lexical, similar, other = gathered.lexical | missing[0], gathered.similar | missing[1], gathered.second | missing[2]
    typed = missing[3] if asked.guessed else lexical
    return {
        each: asked.fusion.scores(
            bm25=lexical.get(each, 0.0),
            typed=typed.get(each, 0.0),
            cosine=similar.get(each, asked.fusion.calibration.mean),
            second=other.get(each),
        )
        for each in ids
    }


def best_of(scored: Mapping[UUID, Scores]) -> list[UUID]:
    """List the passages whose sentences are compared."""
    return [each.passage_id for each in fusion.order(scored)[: fusion.SENTENCE_LIMIT]]


async def order_by_sentences(
    connection: AsyncConnection, asked: Asked, scored: dict[UUID, Scores]
) -> tuple[tuple[Candidate, ...], dict[UUID, tuple[Sentence, ...]]]:
    """Order the best passages by their best sentence too; the others follow as they were."""
    ids = best_of(scored)
    sentences = await store.sentences_of(connection, tenant=asked.view.tenant, asked=asked.first, ids=ids)
    return ordered(asked, scored, sentences)


def ordered(
    asked: Asked, scored: Mapping[UUID, Scores], sentences: dict[UUID, tuple[Sentence, ...]]
) -> tuple[tuple[Candidate, ...], dict[UUID, tuple[Sentence, ...]]]:
    """Order passages as `order_by_sentences` does, when the sentences of the best are known."""
    first = fusion.order(scored)
    if not asked.arms.first:
        return tuple(first), {each: _unplaced(found) for each, found in sentences.items()}
    again: dict[UUID, Scores] = {}
    for each in first[: fusion.SENTENCE_LIMIT]:
        raw = each.scores
        again[each.passage_id] = asked.fusion.scores(
            bm25=raw.bm25,
            typed=raw.bm25_share * asked.fusion.bm25_maximum,
            cosine=raw.cosine,
            best_sentence=max((found.similarity for found in sentences.get(each.passage_id, ())), default=None),
            second=raw.second,
        )
    return (*fusion.order(again), *first[fusion.SENTENCE_LIMIT :]), sentences


def _words(asked: Asked) -> store.Scoring:
    """Choose the shorter way for a customer who sees much of a version."""
    view, weighed, limit = asked.view, asked.weighed, fusion.ARM_LIMIT
    if asked.row.visible * _MUCH < asked.row.servable_passages:
        return store.lexical_arm(view, weighed, limit=limit)
    leading = frozenset(term_id(term) for term in asked.leading)
    return store.broad_lexical_arm(view, weighed, leading=leading, limit=limit)


async def _gathered(connection: AsyncConnection, *arms: store.Scoring) -> Gathered:
    lexical, similar, second = await store.score_together(connection, arms)
    return Gathered(lexical=lexical, similar=similar, second=second)


def _similarity(tenant: str, compared: store.Compared | None, ids: Sequence[UUID]) -> store.Scoring:
    return store.similarity_of(tenant=tenant, asked=compared, ids=ids) if compared else store.NOTHING


def _without(known: Mapping[UUID, float], ids: Sequence[UUID]) -> list[UUID]:
    return [each for each in ids if each not in known]


def _by_term(terms: Sequence[str], held: Mapping[int, int]) -> dict[str, int]:
    numbers = {term: term_id(term) for term in terms}
    return {term: held[number] for term, number in numbers.items() if number in held}


async def _frequencies(connection: AsyncConnection, view: store.View, terms: Sequence[str]) -> dict[str, int]:
    numbers = [term_id(term) for term in terms]
    held = await store.frequencies(connection, tenant=view.tenant, version=view.version, terms=numbers)
    return _by_term(terms, held)


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


def _unplaced(sentences: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
    """Forget similarities that another embedder's vectors would give."""
    return tuple(replace(each, similarity=0.0) for each in sentences)
