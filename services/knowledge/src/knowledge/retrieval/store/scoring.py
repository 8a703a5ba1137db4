"""Scores passages for a customer: each arm is a way to passages with scores, and several go in one round trip."""

from collections.abc import Callable, Mapping, Sequence
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """A way to passages with scores: a statement, and how it is planned."""

    ask: Ask
    plan: Ask = planning.EACH
    is_enough: Callable[[Rows], bool] = bool
    otherwise: Ask | None = None
    """The way that always works, taken when the other brings too few."""


NOTHING: Final = None


# Of so many times as many passages as are wanted the conditions leave enough, for a customer who sees most of them.
OVERSIZE: Final = 5


Weighed = Mapping[int, float]
"""Term numbers of a question with their idf."""


def spelled(vector: Vector) -> Sent:
    """Spell a vector as Postgres reads it: as bytes, because to write and read it as text takes longer than to compare it."""
    return Sent(HalfVector(vector).to_binary())


async def score_together(connection: AsyncConnection, scorings: Sequence[Scoring | None]) -> list[dict[UUID, float]]:
    """Give what each way of scoring brings, best first, in one round trip; in one more where a way brings too few."""
    asks: list[Ask] = []
    places: list[int | None] = []
    plan: Ask | None = None
    for each in scorings:
        if each is not None:
            asks += [each.ask] if each.plan == plan else [each.plan, each.ask]
            plan = each.plan
        places.append(len(asks) - 1 if each else None)
    answers = await ask_together(connection, asks)
    return [
        {} if each is None or place is None else await _enough(connection, each, answers[place])
        for each, place in zip(scorings, places, strict=True)
    ]


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


def ranked_lexical_arm(view: View, weighed: Weighed, ranking: Ranking, *, limit: int) -> Scoring:
    """Give what `broad_lexical_arm` gives, when the best of all that hold a leading term are known already."""
    following = {"other_terms": listed(ranking.rest), "other_idfs": listed(ranking.rest.values())}
    best = {"ids": listed(ranking.ids), "scores": listed(ranking.scores), "limit": limit}
    return Scoring(
        ask=Ask(statements.LEXICAL_RANKED, view.parameters | best | following),
        plan=planning.ONCE,
        is_enough=lambda rows: ranking.is_complete or len(rows) == limit,
        otherwise=_lexical(view, weighed, limit),
    )


def exact_arm(view: View, asked: Compared, *, limit: int) -> Scoring:
    """Give the passages most similar to the question, comparing every one."""
    return Scoring(ask=_exact(view, asked, limit))


def approximate_arm(view: View, asked: Compared, *, limit: int, width: int) -> Scoring:
    """Give the most similar passages by the approximate index, in exact order; all are compared when it gives too few.

    Its walk ends after so many vectors, and those of other tenants and of what may not serve count among them.
    """
    near = Ask(statements.approximate(asked.vectors), view.parameters | asked.parameters | {"limit": limit})
    return Scoring(
        ask=near,
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


async def _enough(connection: AsyncConnection, scoring: Scoring, rows: Rows) -> dict[UUID, float]:
    if scoring.otherwise and not scoring.is_enough(rows):
        _, rows = await ask_together(connection, [planning.EACH, scoring.otherwise])
    return {row.id: row.score for row in rows}


def _lexical(view: View, weighed: Weighed, limit: int) -> Ask:
    return Ask(statements.LEXICAL, view.parameters | _asked(weighed) | {"limit": limit})


def _exact(view: View, asked: Compared, limit: int) -> Ask:
    return Ask(statements.exact(asked.vectors), view.parameters | asked.parameters | {"limit": limit})


def _asked(weighed: Weighed) -> dict[str, Any]:  # statement parameters of several types
    return {"terms": listed(weighed), "idfs": listed(weighed.values())}
