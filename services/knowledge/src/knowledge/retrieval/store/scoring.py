"""Scores passages for a customer: each arm is a way to passages with scores, and several go in one round trip."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final
from uuid import UUID

from pgvector import HalfVector
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.ingestion.embedding import Vector
from knowledge.retrieval import statements
from knowledge.retrieval.postings import Ranking
from knowledge.retrieval.store import planning
from runtime.round_trips import Ask, Rows, Sent, ask_together, listed


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What one customer may see of one version on one day."""

    tenant: str
    version: int
    audiences: tuple[int, ...]
    as_of: date

    @property
    def parameters(self) -> dict[str, Any]:  # statement parameters of several types
        """Name the conditions as the statements do."""
        return {
            "tenant": self.tenant,
            "version": self.version,
            "audiences": listed(self.audiences),
            "as_of": self.as_of,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A question's vector and the table it is compared with; `arm` names the embedder in a table of several."""

    question: Sent
    """The vector as Postgres reads it (see `spelled`)."""
    vectors: statements.Vectors = statements.FIRST
    arm: str | None = None

    @property
    def parameters(self) -> dict[str, Any]:  # statement parameters of several types
        """Name the vector as the statements do."""
        return {"question": self.question} if self.arm is None else {"question": self.question, "arm": self.arm}

    @property
    def beside(self) -> dict[str, Any]:  # as above
        """Name the vector as the statements do that compare with it beside another arm."""
        return {self.vectors.table: self.question, f"{self.vectors.table}_arm": self.arm}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """A way to passages with scores: a statement, and how it is planned."""

    ask: Ask
    plan: Ask = planning.EACH
    is_enough: Callable[[Rows], bool] = bool
    otherwise: Ask | None = None
    """The way that always works, taken when the other brings too few."""
    beside: tuple[str, ...] = ()
    """The tables of other arms with which the passages are compared as well, unless the other way is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """What a way of scoring brings, best first, and by the tables of other arms how similar the passages are."""

    scores: dict[UUID, float]
    beside: dict[str, dict[UUID, float]]


NOTHING: Final = None


# Of so many times as many passages as are wanted the conditions leave enough, for a customer who sees most of them.
OVERSIZE: Final = 5


Weighed = Mapping[int, float]
"""Term numbers of a question with their idf."""


def spelled(vector: Vector) -> Sent:
    """Spell a vector as Postgres reads it: as bytes, because to write and read it as text takes longer than to compare it."""
    return Sent(HalfVector(vector).to_binary())


async def score_together(connection: AsyncConnection, scorings: Iterable[Scoring | None]) -> list[dict[UUID, float]]:
    """Give what each way of scoring brings, best first, in one round trip; in one more where a way brings too few.

    Each is asked before the next is made: the way that takes the server longest stands first.
    """
    return [each.scores for each in await bring_together(connection, scorings)]


async def bring_together(connection: AsyncConnection, scorings: Iterable[Scoring | None]) -> list[Brought]:
    """Give what `score_together` gives, with what was compared beside."""
    asked: list[tuple[Scoring, int] | None] = []
    answers = await ask_together(connection, _asks(scorings, asked))
    return [
        Brought(scores={}, beside={}) if each is None else await _enough(connection, each[0], answers[each[1]])
        for each in asked
    ]


def _asks(scorings: Iterable[Scoring | None], asked: list[tuple[Scoring, int] | None]) -> Iterator[Ask]:
    """Give the statements of these ways with how they are planned, and note of each which answer is its own."""
    plan: Ask | None = None
    sent = 0
    for each in scorings:
        asked.append(None)
        if each is None:
            continue
        if each.plan != plan:
            plan, sent = each.plan, sent + 1
            yield plan
        asked[-1], sent = (each, sent), sent + 1
        yield each.ask


def lexical_arm(view: View, weighed: Weighed, *, limit: int) -> Scoring:
    """Give the passages with the highest BM25."""
    return Scoring(ask=_lexical(view, weighed, limit))


def broad_lexical_arm(view: View, weighed: Weighed, *, leading: frozenset[int], limit: int) -> Scoring:
    """Give what `lexical_arm` gives, by a shorter way for a customer who sees most of a version.

    Where some terms lead, the passages are those that hold one of them, each with the weight of all terms.
    """
    led = {term: idf for term, idf in weighed.items() if term in leading}
    others = {term: idf for term, idf in weighed.items() if term not in leading}
    following = {"other_terms": listed(others), "other_idfs": listed(others.values())}
    most = limit * OVERSIZE
    asked = view.parameters | _asked(led) | following | {"limit": limit, "most": most}

    def is_enough(rows: Rows) -> bool:
        has_all = bool(rows) and not others and rows[0].considered < most
        return has_all or len(rows) == limit

    best = Ask(statements.LEXICAL_BEST, asked)
    return Scoring(ask=best, is_enough=is_enough, otherwise=_lexical(view, weighed, limit))


def ranked_lexical_arm(
    view: View, weighed: Weighed, ranking: Ranking, *, limit: int, beside: Sequence[Compared] = ()
) -> Scoring:
    """Give what `broad_lexical_arm` gives, when the best of all that hold a leading term are known already."""
    following = {"other_terms": listed(ranking.rest), "other_idfs": listed(ranking.rest.values())}
    best = {"ids": listed(ranking.ids), "scores": listed(ranking.scores), "limit": limit}
    ranked = statements.lexical_ranked(*(each.vectors for each in beside))
    return Scoring(
        ask=Ask(ranked, view.parameters | best | following | _beside(beside)),
        beside=_tables(beside),
        plan=planning.ONCE,
        is_enough=lambda rows: ranking.is_complete or len(rows) == limit,
        otherwise=_lexical(view, weighed, limit),
    )


def exact_arm(view: View, asked: Compared, *, limit: int) -> Scoring:
    """Give the passages most similar to the question, comparing every one."""
    return Scoring(ask=_exact(view, asked, limit))


def approximate_arm(view: View, asked: Compared, *, limit: int, width: int, beside: Sequence[Compared] = ()) -> Scoring:
    """Give the most similar passages by the approximate index, in exact order; all are compared when it gives too few.

    Its walk ends after so many vectors, and those of other tenants and of what may not serve count among them.
    """
    near = statements.approximate(asked.vectors, *(each.vectors for each in beside))
    return Scoring(
        ask=Ask(near, view.parameters | asked.parameters | {"limit": limit} | _beside(beside)),
        beside=_tables(beside),
        plan=Ask(statements.APPROXIMATE_SETTINGS, {"width": str(width)}),
        is_enough=lambda rows: len(rows) == limit,
        otherwise=_exact(view, asked, limit),
    )


def lexical_of(*, tenant: str, weighed: Weighed, ids: Sequence[UUID]) -> Scoring | None:
    """Give the BM25 of these passages; absent means zero."""
    if not ids or not weighed:
        return NOTHING
    known = {"tenant": tenant, "ids": listed(ids)} | _asked(weighed)
    return Scoring(ask=Ask(statements.LEXICAL_OF, known), plan=planning.ONCE)


def similarity_of(*, tenant: str, asked: Compared, ids: Sequence[UUID | str]) -> Scoring | None:
    """Give the cosine of these passages with the question."""
    if not ids:
        return NOTHING
    known = {"tenant": tenant, "ids": listed(ids)}
    return Scoring(ask=Ask(statements.similarity_of(asked.vectors), known | asked.parameters), plan=planning.ONCE)


def all_lexical(view: View, weighed: Weighed, *, limit: int) -> Scoring:
    """Give the passages with the highest BM25 whoever may see them and whenever they hold."""
    return Scoring(ask=Ask(statements.ALL_LEXICAL, view.parameters | _asked(weighed) | {"limit": limit}))


def all_similar(view: View, asked: Compared, *, limit: int) -> Scoring:
    """Give the most similar passages whoever may see them and whenever they hold."""
    known = view.parameters | asked.parameters | {"limit": limit}
    return Scoring(ask=Ask(statements.all_similar(asked.vectors), known))


def anywhere_lexical(*, tenant: str, weighed: Weighed, limit: int) -> Scoring:
    """Give the passages with the highest BM25 of all that the tenant ever had."""
    return Scoring(ask=Ask(statements.ANYWHERE_LEXICAL, {"tenant": tenant, "limit": limit} | _asked(weighed)))


def anywhere_similar(*, tenant: str, asked: Compared, limit: int) -> Scoring:
    """Give the most similar passages of all that the tenant ever had."""
    known = {"tenant": tenant, "limit": limit} | asked.parameters
    return Scoring(ask=Ask(statements.anywhere_similar(asked.vectors), known))


async def _enough(connection: AsyncConnection, scoring: Scoring, rows: Rows) -> Brought:
    if scoring.otherwise and not scoring.is_enough(rows):
        _, rows = await ask_together(connection, [planning.EACH, scoring.otherwise])
        return Brought(scores=_scores(rows), beside={})
    return Brought(scores=_scores(rows), beside={table: _similar(rows, table) for table in scoring.beside})


def _scores(rows: Rows) -> dict[UUID, float]:
    return {row.id: row.score for row in rows}


def _similar(rows: Rows, table: str) -> dict[UUID, float]:
    found = ((row.id, getattr(row, table)) for row in rows)
    return {passage: score for passage, score in found if score is not None}


def _beside(compared: Sequence[Compared]) -> dict[str, Any]:  # statement parameters of several types
    return {name: value for each in compared for name, value in each.beside.items()}


def _tables(compared: Sequence[Compared]) -> tuple[str, ...]:
    return tuple(each.vectors.table for each in compared)


def _lexical(view: View, weighed: Weighed, limit: int) -> Ask:
    return Ask(statements.LEXICAL, view.parameters | _asked(weighed) | {"limit": limit})


def _exact(view: View, asked: Compared, limit: int) -> Ask:
    return Ask(statements.exact(asked.vectors), view.parameters | asked.parameters | {"limit": limit})


def _asked(weighed: Weighed) -> dict[str, Any]:  # statement parameters of several types
    return {"terms": listed(weighed), "idfs": listed(weighed.values())}
