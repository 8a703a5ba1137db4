"""Reads the index of a version: candidates, scores, passages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

from pgvector import HalfVector
from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from contracts.reasons import Language
from knowledge.ingestion.embedding import Vector
from knowledge.ingestion.sentences import split_sentences
from knowledge.retrieval import statements
from knowledge.retrieval.inspecting import Record
from knowledge.retrieval.passage import Passage, Sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingRow:
    """A version that can serve, as stored."""

    number: int
    routing_policy: str
    calibration: dict[str, Any]  # numbers, and the same again for a second arm
    servable_passages: int
    hot: bool
    visible: int
    """How many passages this customer's audiences hold at most, whatever the day."""
    built_day: date
    analyser: str
    embedder: str
    second_embedder: str | None
    audiences: tuple[int, ...]


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
            "audiences": list(self.audiences),
            "as_of": self.as_of,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Why a passage may or may not serve this customer."""

    language: Language
    is_visible: bool
    is_in_force: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Readable:
    """How a passage stands on the day it is read again."""

    replaced_by: str | None
    withdrawn_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A question's vector and the table it is compared with; `arm` names the embedder in a table of several."""

    question: str
    """The vector as Postgres reads it (see `spelled`)."""
    vectors: statements.Vectors = statements.FIRST
    arm: str | None = None

    @property
    def parameters(self) -> dict[str, Any]:  # statement parameters of several types
        """Name the vector as the statements do."""
        return {"question": self.question} if self.arm is None else {"question": self.question, "arm": self.arm}


# Of so many times as many passages as are wanted the conditions leave enough, for a customer who sees most of them.
_OVERSIZE: Final = 5

_NARROWEST: Final = 400
_WIDEST: Final = 1_000  # pgvector's own bound
_PASSAGES_EACH: Final = 125

# Reading the names of parameters out of a statement again for every question costs a millisecond a search.
_clause = lru_cache(maxsize=None)(text)

Weighed = Mapping[int, float]
"""Term numbers of a question with their idf."""


def spelled(vector: Vector) -> str:
    """Spell a vector as Postgres reads it. It takes half a millisecond, so a question is spelled once."""
    return HalfVector(vector).to_text()


async def find_serving(
    connection: AsyncConnection, *, tenant: str, version: int | None, segments: Sequence[str]
) -> ServingRow | None:
    """Give the current version, or the one named, if it can serve, and the audiences that share one of the segments.

    From here on every statement of this transaction is planned for its own values.
    """
    asked = {"tenant": tenant, "version": version, "segments": list(segments)}
    row = (await connection.execute(_clause(statements.SERVING), asked)).one_or_none()
    if row is None:
        return None
    return ServingRow(
        number=row.number,
        routing_policy=row.routing_policy,
        calibration=row.calibration,
        servable_passages=row.servable_passages,
        hot=row.hot,
        visible=int(row.visible or 0),
        built_day=row.built_day,
        analyser=row.analyser,
        embedder=row.embedder,
        second_embedder=row.second_embedder,
        audiences=tuple(row.audiences),
    )


async def audiences_of(connection: AsyncConnection, *, tenant: str, segments: Sequence[str]) -> tuple[int, ...]:
    """List the audiences that share a segment with the caller."""
    rows = await connection.execute(_clause(statements.AUDIENCES), {"tenant": tenant, "segments": list(segments)})
    return tuple(row.audience_id for row in rows)


async def frequencies(
    connection: AsyncConnection, *, tenant: str, version: int, terms: Sequence[int]
) -> dict[int, int]:
    """Say in how many servable passages of a version each term stands; absent means in none."""
    rows = await connection.execute(
        _clause(statements.FREQUENCIES), {"tenant": tenant, "version": version, "terms": list(terms)}
    )
    return {row.term: row.passages for row in rows}


async def lexical_arm(connection: AsyncConnection, view: View, weighed: Weighed, *, limit: int) -> dict[UUID, float]:
    """Give the passages with the highest BM25."""
    return await _scores(connection, statements.LEXICAL, view.parameters | _asked(weighed) | {"limit": limit})


async def broad_lexical_arm(
    connection: AsyncConnection, view: View, weighed: Weighed, *, leading: frozenset[int], limit: int
) -> dict[UUID, float]:
    """Give what `lexical_arm` gives, by a shorter way for a customer who sees most of a version.

    Where some terms lead, the passages are those that hold one of them, each with the weight of all terms.
    """
    most = limit * _OVERSIZE
    led = {term: idf for term, idf in weighed.items() if term in leading}
    others = {term: idf for term, idf in weighed.items() if term not in leading}
    following = {"other_terms": list(others), "other_idfs": list(others.values())}
    asked = view.parameters | _asked(led) | following | {"limit": limit, "most": most}
    rows = (await connection.execute(_clause(statements.LEXICAL_BEST), asked)).all()
    has_all = bool(rows) and not others and rows[0].considered < most
    if has_all or len(rows) == limit:
        return {row.id: row.score for row in rows}
    return await lexical_arm(connection, view, weighed, limit=limit)


async def exact_arm(connection: AsyncConnection, view: View, asked: Compared, *, limit: int) -> dict[UUID, float]:
    """Give the passages most similar to the question, comparing every one."""
    return await _scores(
        connection, statements.exact(asked.vectors), view.parameters | asked.parameters | {"limit": limit}
    )


def graph_width(passages: int) -> int:
    """Say how many vectors a walk through the graph of so many keeps in view: more make it surer and slower.

    Among 100,000 vectors with a dozen near copies each, 800 find .97 of the ten nearest in 5 ms, 200 find .86 in 1 ms.
    """
    return min(max(_NARROWEST, passages // _PASSAGES_EACH), _WIDEST)


async def approximate_arm(
    connection: AsyncConnection, view: View, asked: Compared, *, limit: int, width: int
) -> dict[UUID, float]:
    """Give the most similar passages by the approximate index, in exact order; all are compared when it gives too few.

    Its walk ends after so many vectors, and those of other tenants and of what may not serve count among them.
    """
    await connection.execute(_clause(statements.APPROXIMATE_SETTINGS), {"width": str(width)})
    near = await _scores(
        connection, statements.approximate(asked.vectors), view.parameters | asked.parameters | {"limit": limit}
    )
    return near if len(near) == limit else await exact_arm(connection, view, asked, limit=limit)


async def lexical_of(
    connection: AsyncConnection, *, tenant: str, weighed: Weighed, ids: Sequence[UUID]
) -> dict[UUID, float]:
    """Give the BM25 of these passages; absent means zero."""
    if not ids:
        return {}
    return await _scores(connection, statements.LEXICAL_OF, {"tenant": tenant, "ids": list(ids)} | _asked(weighed))


async def similarity_of(
    connection: AsyncConnection, *, tenant: str, asked: Compared, ids: Sequence[UUID]
) -> dict[UUID, float]:
    """Give the cosine of these passages with the question."""
    if not ids:
        return {}
    known = {"tenant": tenant, "ids": list(ids)}
    return await _scores(connection, statements.similarity_of(asked.vectors), known | asked.parameters)


async def sentences_of(
    connection: AsyncConnection, *, tenant: str, asked: Compared, ids: Sequence[UUID]
) -> dict[UUID, tuple[Sentence, ...]]:
    """Give the sentences of these passages in order, each with its cosine with the question.

    Shapes: a passage whose vectors of sentences are not there yet is absent.
    """
    rows = await connection.execute(
        _clause(statements.SENTENCES), {"tenant": tenant, "ids": list(ids)} | asked.parameters
    )
    found: dict[UUID, list[Sentence]] = {}
    for row in rows:
        placed = Sentence(start=row.text_start, end=row.text_end, similarity=row.score)
        found.setdefault(row.id, []).append(placed)
    return {passage_id: tuple(sentences) for passage_id, sentences in found.items()}


async def read_passages(
    connection: AsyncConnection,
    *,
    tenant: str,
    ids: Sequence[UUID],
    sentences: Mapping[UUID, tuple[Sentence, ...]],
) -> dict[UUID, Passage]:
    """Give these passages with their records and the given sentences; others are cut here, without a similarity."""
    rows = await connection.execute(_clause(statements.PASSAGES), {"tenant": tenant, "ids": list(ids)})
    return {row.id: _passage(row, sentences.get(row.id) or _uncompared(row.text)) for row in rows}


async def find_readable(
    connection: AsyncConnection, *, tenant: str, passage_id: UUID, audiences: Sequence[int], today: date
) -> Readable | None:
    """Say how a passage stands today; None when this customer may not see it or it has not begun."""
    parameters = {"tenant": tenant, "id": passage_id, "audiences": list(audiences), "today": today}
    row = (await connection.execute(_clause(statements.READABLE), parameters)).first()
    return None if row is None else Readable(replaced_by=row.replaced_by, withdrawn_at=row.withdrawn_at)


async def any_withdrawn(connection: AsyncConnection, *, tenant: str, ids: Sequence[UUID]) -> bool:
    """Tell whether one of these passages has been withdrawn."""
    return bool(
        (await connection.execute(_clause(statements.WITHDRAWN), {"tenant": tenant, "ids": list(ids)})).scalar_one()
    )


async def all_lexical(connection: AsyncConnection, view: View, weighed: Weighed, *, limit: int) -> dict[UUID, float]:
    """Give the passages with the highest BM25 whoever may see them and whenever they hold."""
    return await _scores(connection, statements.ALL_LEXICAL, view.parameters | _asked(weighed) | {"limit": limit})


async def all_similar(connection: AsyncConnection, view: View, asked: Compared, *, limit: int) -> dict[UUID, float]:
    """Give the most similar passages whoever may see them and whenever they hold."""
    return await _scores(
        connection, statements.all_similar(asked.vectors), view.parameters | asked.parameters | {"limit": limit}
    )


async def anywhere_lexical(
    connection: AsyncConnection, *, tenant: str, weighed: Weighed, limit: int
) -> dict[UUID, float]:
    """Give the passages with the highest BM25 of all that the tenant ever had."""
    asked = {"tenant": tenant, "limit": limit} | _asked(weighed)
    return await _scores(connection, statements.ANYWHERE_LEXICAL, asked)


async def anywhere_similar(
    connection: AsyncConnection, *, tenant: str, asked: Compared, limit: int
) -> dict[UUID, float]:
    """Give the most similar passages of all that the tenant ever had."""
    known = {"tenant": tenant, "limit": limit}
    return await _scores(connection, statements.anywhere_similar(asked.vectors), known | asked.parameters)


async def records_of(connection: AsyncConnection, view: View, ids: Sequence[UUID]) -> dict[UUID, Record]:
    """Give these passages with what decides whether they may serve this customer."""
    rows = await connection.execute(_clause(statements.RECORDS), view.parameters | {"ids": list(ids)})
    return {row.id: _record(row) for row in rows}


async def standings(connection: AsyncConnection, view: View, ids: Sequence[UUID]) -> dict[UUID, Standing]:
    """Say of each of these passages its language, whether this customer may see it and whether it is in force."""
    rows = await connection.execute(_clause(statements.STANDING), view.parameters | {"ids": list(ids)})
    return {
        row.id: Standing(language=row.language, is_visible=row.is_visible, is_in_force=row.is_in_force) for row in rows
    }


async def _scores(
    connection: AsyncConnection, statement: str, parameters: dict[str, Any]
) -> dict[UUID, float]:  # statement parameters of several types
    return {row.id: row.score for row in await connection.execute(_clause(statement), parameters)}


def _asked(weighed: Weighed) -> dict[str, Any]:  # as above
    return {"terms": list(weighed), "idfs": list(weighed.values())}


def _record(row: Row[Any]) -> Record:  # a row of a joined query
    return Record(
        passage_id=row.id,
        document=row.slug,
        title=row.title,
        section=" > ".join(row.heading_path),
        revision=row.label,
        language=row.language,
        text=row.text,
        is_visible=row.is_visible,
        is_in_force=row.is_in_force,
        is_in_version=row.is_in_version,
        withdrawn_at=row.withdrawn_at,
        page=row.page,
        line=row.line,
        applies_to=row.applies_to,
    )


def _uncompared(passage_text: str) -> tuple[Sentence, ...]:
    spans = split_sentences(passage_text)
    return tuple(Sentence(start=span.start, end=span.end, similarity=0.0) for span in spans)


def _passage(row: Row[Any], sentences: tuple[Sentence, ...]) -> Passage:  # a row of a joined query
    return Passage(
        passage_id=row.id,
        document=row.slug,
        title=row.title,
        heading_path=tuple(row.heading_path),
        revision=row.label,
        effective_from=row.effective_from,
        effective_to=row.effective_to,
        updated_at=row.created_at,
        language=row.language,
        priority=row.priority,
        text=row.text,
        applies_to=row.applies_to,
        requires_facts=tuple(row.requires_facts),
        decision=row.decision,
        source_url=row.source_url,
        sentences=sentences,
        page=row.page,
        line=row.line,
        area=row.area,
    )
