"""Collects the candidates of a question from the arms of a version, in the session it is handed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.adapters.embedder import ReadQuestion
from knowledge.adapters.guesses import read_as
from knowledge.ingestion.analyser import ANALYSER, term_id
from knowledge.ingestion.embedding import SecondEmbedder
from knowledge.retrieval import fusion, postings, statements
from knowledge.retrieval.passage import Candidate, Scores, Sentence
from knowledge.retrieval.postings import Postings
from knowledge.retrieval.searching import EXACT_SCAN_LIMIT, IndexedOtherwiseError, Serving, graph_width
from knowledge.retrieval.store import opening, reading, scoring

# A customer who sees less than this part of a version is searched for from what they see.
_MUCH: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Arms:
    """Which arms of a version this process may use: those that were built by what it runs itself."""

    words: bool
    first: bool
    second: scoring.Compared | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question weighed for one version.

    `guessed` are the terms that stand in the place of misspelt or foreign words, `leading` those that find candidates.
    """

    view: scoring.View
    row: opening.ServingRow
    read: ReadQuestion
    idf: dict[str, float]
    fusion: fusion.Fusion
    arms: Arms
    leading: frozenset[str]
    guessed: frozenset[str] = frozenset()
    postings: Mapping[int, Postings] = field(default_factory=dict[int, Postings])
    """What is at hand of the terms of a large version."""

    @property
    def weighed(self) -> dict[int, float]:
        """Give the idf by term number."""
        return {term_id(term): idf for term, idf in self.idf.items()}

    @property
    def leading_terms(self) -> frozenset[int]:
        """Give the numbers of the terms that find candidates."""
        return frozenset(term_id(term) for term in self.leading)

    @property
    def as_typed(self) -> dict[int, float]:
        """Give the idf by term number of the words that the customer typed."""
        return {term_id(term): idf for term, idf in self.idf.items() if term not in self.guessed}

    @property
    def first(self) -> scoring.Compared:
        """Give the vector of the first arm with its table."""
        return scoring.Compared(question=self.read.first)

    @property
    def compared(self) -> tuple[scoring.Compared | None, scoring.Compared | None]:
        """Give the vectors of the arms that are used, the first one's and the second one's."""
        return (self.first if self.arms.first else None), self.arms.second


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What each arm brings by itself, best first."""

    lexical: dict[UUID, float]
    similar: dict[UUID, float]
    second: dict[UUID, float]
    beside: tuple[dict[UUID, float], dict[UUID, float]] = field(default_factory=lambda: ({}, {}))
    """How similar other passages are by the first arm and by the second, where that was asked beside."""


def usable_arms(row: opening.ServingRow, read: ReadQuestion, *, first: str, second: SecondEmbedder | None) -> Arms:
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


def distinct_terms(terms: Sequence[str]) -> list[str]:
    """List each term of a question once, no more than a search bears."""
    return list(dict.fromkeys(terms))[: fusion.MOST_DISTINCT]


async def weigh(  # noqa: PLR0913 - a question, a version, and what reads both
    connection: AsyncConnection,
    *,
    view: scoring.View,
    row: opening.ServingRow,
    serving: Serving,
    read: ReadQuestion,
    arms: Arms,
    held: Mapping[int, int],
) -> Asked:
    """Weigh the terms of a question by how rare they are in a version.

    `held` says how many passages hold each of them and of what they may mean in the other language.
    """
    distinct = distinct_terms(read.terms) if arms.words else []
    terms, frequencies = await read_as(connection, view, distinct, held)
    guessed = frozenset(terms) - frozenset(distinct)
    is_large = row.servable_passages > EXACT_SCAN_LIMIT
    idf = fusion.weigh_terms(terms, frequencies, passages=row.servable_passages, drop_common=is_large)
    leading = fusion.leading_terms(idf, frequencies) if is_large else frozenset(idf)
    scale = fusion.Fusion(
        weights=serving.routing_policy.weights,
        calibration=serving.calibration,
        bm25_maximum=fusion.bm25_maximum(idf.values()),
    )
    return Asked(
        view=view,
        row=row,
        read=read,
        idf=idf,
        fusion=scale,
        arms=arms,
        leading=leading,
        guessed=guessed,
        postings=_absent(idf, frequencies) if is_large and _is_hot(view, row) else {},
    )


def with_postings(asked: Asked, at_hand: Mapping[int, Postings]) -> Asked:
    """Give a question about what a large version holds today with the postings at hand, which save it from asking."""
    return replace(asked, postings={**asked.postings, **at_hand}) if _is_ranked_here(asked) else asked


def guesses_to_read(asked: Asked) -> list[int]:
    """List the guessed terms that alone are lacking to rank by what is at hand."""
    lacking = asked.leading_terms - asked.postings.keys()
    is_all = _is_ranked_here(asked) and _sees_much(asked.row) and lacking <= set(map(term_id, asked.guessed))
    return sorted(lacking) if is_all else []


async def gather_words(connection: AsyncConnection, asked: Asked) -> dict[UUID, float]:
    """Take what words alone bring."""
    (lexical,) = await scoring.score_together(connection, [_words(asked, _ranking(asked))])
    return lexical


async def gather(connection: AsyncConnection, asked: Asked) -> Gathered:
    """Take the best of each arm that this customer may be answered from."""
    first, second = asked.compared
    brought = await scoring.bring_together(connection, _arms(asked, first, second))
    similar, other, lexical = (each.scores for each in brought)
    beside = (_among(first, brought), _among(second, brought))
    return Gathered(lexical=lexical, similar=similar, second=other, beside=beside)


def with_second(asked: Asked, read: ReadQuestion, *, first: str, second: SecondEmbedder | None) -> Asked:
    """Give the question with what the second arm has read meanwhile."""
    return replace(asked, read=read, arms=usable_arms(asked.row, read, first=first, second=second))


async def gather_second(connection: AsyncConnection, asked: Asked, gathered: Gathered) -> Gathered:
    """Add what the second arm brings to what the others brought, and how similar theirs are to it."""
    second = asked.arms.second
    if second is None:
        return gathered
    others = list(dict.fromkeys((*gathered.lexical, *gathered.similar)))
    first, _ = asked.compared
    arms = [_similarity(asked.view.tenant, second, others), _near(asked, second, beside=_those(first))]
    similar, brought = await scoring.bring_together(connection, arms)
    beside = (gathered.beside[0] | _among(first, [brought]), similar.scores)
    return replace(gathered, second=brought.scores, beside=beside)


async def gather_all(connection: AsyncConnection, asked: Asked) -> Gathered:
    """Take the best of each arm whoever may see it and whenever it holds."""
    view, limit = asked.view, fusion.ARM_LIMIT
    near = [scoring.all_similar(view, each, limit=limit) if each else scoring.NOTHING for each in asked.compared]
    return await _gathered(connection, scoring.all_lexical(view, asked.weighed, limit=limit), *near)


async def gather_anywhere(connection: AsyncConnection, asked: Asked) -> Gathered:
    """Take the best of each arm from all that the tenant ever had."""
    tenant, limit = asked.view.tenant, fusion.ARM_LIMIT
    similar = partial(scoring.anywhere_similar, tenant=tenant, limit=limit)
    near = [similar(asked=each) if each else scoring.NOTHING for each in asked.compared]
    return await _gathered(
        connection, scoring.anywhere_lexical(tenant=tenant, weighed=asked.weighed, limit=limit), *near
    )


async def score(connection: AsyncConnection, asked: Asked, gathered: Gathered) -> dict[UUID, Scores]:
    """Give each passage the scores of the arms that did not bring it, and fuse them."""
    ids = list(dict.fromkeys((*gathered.lexical, *gathered.similar, *gathered.second)))
    tenant, (first, second) = asked.view.tenant, asked.compared
    unscored = _without(gathered.lexical, ids)
    known = postings.weigh(unscored, asked.weighed, asked.postings)
    # A guess may find a passage, and is no evidence for it.
    as_typed = postings.weigh(ids, asked.as_typed, asked.postings) if asked.guessed else None
    known_first, known_second = gathered.beside[0] | gathered.similar, gathered.beside[1] | gathered.second
    missing = await scoring.score_together(
        connection,
        [
            scoring.NOTHING
            if known is not None
            else scoring.lexical_of(tenant=tenant, weighed=asked.weighed, ids=unscored),
            _similarity(tenant, first, _without(known_first, ids)),
            _similarity(tenant, second, _without(known_second, ids)),
            scoring.lexical_of(tenant=tenant, weighed=asked.as_typed, ids=ids)
            if asked.guessed and as_typed is None
            else scoring.NOTHING,
        ],
    )
    lexical = gathered.lexical | (missing[0] if known is None else known)
    similar, other = known_first | missing[1], known_second | missing[2]
    typed = (missing[3] if as_typed is None else as_typed) if asked.guessed else lexical
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
    sentences = await reading.sentences_of(connection, tenant=asked.view.tenant, asked=asked.first, ids=ids)
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


def _arms(
    asked: Asked, first: scoring.Compared | None, second: scoring.Compared | None
) -> Iterator[scoring.Scoring | None]:
    """Give the arms of similarity and then the words, which are ranked here while the graph is walked there."""
    yield _near(asked, first, beside=_those(second))
    yield _near(asked, second, beside=_those(first))
    yield _words(asked, _ranking(asked), beside=_those(first, second))


def _sees_much(row: opening.ServingRow) -> bool:
    return row.visible * _MUCH >= row.servable_passages


def _ranking(asked: Asked) -> postings.Ranking | None:
    """Rank by the postings at hand, for a customer who sees much of a version."""
    if not _sees_much(asked.row):
        return None
    most = fusion.ARM_LIMIT * scoring.OVERSIZE
    return postings.rank(asked.weighed, asked.postings, leading=asked.leading_terms, most=most)


def _words(asked: Asked, ranking: postings.Ranking | None, beside: Sequence[scoring.Compared] = ()) -> scoring.Scoring:
    """Choose the shortest way to what words bring."""
    view, weighed, limit = asked.view, asked.weighed, fusion.ARM_LIMIT
    if ranking is not None:
        return scoring.ranked_lexical_arm(view, weighed, ranking, limit=limit, beside=beside)
    if _sees_much(asked.row):
        return scoring.broad_lexical_arm(view, weighed, leading=asked.leading_terms, limit=limit)
    return scoring.lexical_arm(view, weighed, limit=limit)


def _is_ranked_here(asked: Asked) -> bool:
    return asked.row.servable_passages > EXACT_SCAN_LIMIT and _is_hot(asked.view, asked.row)


def _is_hot(view: scoring.View, row: opening.ServingRow) -> bool:
    """Say whether a question is about what a version has held since it was built: only that is counted, and in the graph."""
    return view.as_of >= row.built_day


def _absent(idf: Mapping[str, float], frequencies: Mapping[str, int]) -> dict[int, Postings]:
    """Give the terms that no passage holds: all of their postings are at hand."""
    return {term_id(term): postings.NONE for term in idf if not frequencies.get(term)}


async def _gathered(connection: AsyncConnection, *arms: scoring.Scoring | None) -> Gathered:
    lexical, similar, second = await scoring.score_together(connection, arms)
    return Gathered(lexical=lexical, similar=similar, second=second)


def _those(*compared: scoring.Compared | None) -> list[scoring.Compared]:
    return [each for each in compared if each is not None]


def _among(compared: scoring.Compared | None, brought: Iterable[scoring.Brought]) -> dict[UUID, float]:
    """Put together how similar to one arm what the others brought is."""
    if compared is None:
        return {}
    tables = [each.beside.get(compared.vectors.table, {}) for each in brought]
    return {passage: score for table in tables for passage, score in table.items()}


def _near(
    asked: Asked, compared: scoring.Compared | None, beside: Sequence[scoring.Compared] = ()
) -> scoring.Scoring | None:
    if compared is None:
        return scoring.NOTHING
    view, row = asked.view, asked.row
    # The question of a customer who sees little is compared with every vector: the graph would be walked far and wide
    # for the few that count.
    if row.hot and row.visible > EXACT_SCAN_LIMIT and _is_hot(view, row):
        width = graph_width(row.servable_passages, is_second=compared is asked.arms.second)
        return scoring.approximate_arm(view, compared, limit=fusion.ARM_LIMIT, width=width, beside=beside)
    return scoring.exact_arm(view, compared, limit=fusion.ARM_LIMIT)


def _similarity(tenant: str, compared: scoring.Compared | None, ids: Sequence[UUID | str]) -> scoring.Scoring | None:
    return scoring.similarity_of(tenant=tenant, asked=compared, ids=ids) if compared else scoring.NOTHING


def _without(known: Mapping[UUID, float], ids: Sequence[UUID]) -> list[UUID]:
    return [each for each in ids if each not in known]


def _second(read: ReadQuestion, second: SecondEmbedder) -> scoring.Compared | None:
    if read.second is None:
        return None
    return scoring.Compared(question=read.second, vectors=statements.second(second.dimension), arm=second.identity)


def _unplaced(sentences: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
    """Forget similarities that another embedder's vectors would give."""
    return tuple(replace(each, similarity=0.0) for each in sentences)
