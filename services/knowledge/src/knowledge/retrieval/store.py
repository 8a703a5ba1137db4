"""Reads the index of a version: candidates, scores, passages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

from pgvector import HalfVector
from sqlalchemy.ext.asyncio import AsyncConnection

from contracts.reasons import Language
from knowledge.ingestion.embedding import Vector
from knowledge.ingestion.sentences import split_sentences
from knowledge.retrieval import statements
from knowledge.retrieval.inspecting import Record
from knowledge.retrieval.passage import Passage, Sentence
from runtime.round_trips import Ask, Rows, ask_one, ask_together, listed


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
            "audiences": listed(self.audiences),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """A way to passages with scores: its statements, of which the last one brings them."""

    asks: tuple[Ask, ...]
    is_enough: Callable[[Rows], bool] = bool
    otherwise: Ask | None = None
    """The way that always works, taken when the others bring too few."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretches:
    """What an answer may show, as stored: passages are put together only where they are shown."""

    sentences: dict[UUID, tuple[Sentence, ...]]
    rows: Mapping[UUID, Any]  # rows of a joined query

    def passages(self, ids: Sequence[UUID], sentences: Mapping[UUID, tuple[Sentence, ...]]) -> dict[UUID, Passage]:
        """Put these passages together with the given sentences."""
        return {each: _passage(self.rows[each], sentences.get(each)) for each in ids if each in self.rows}


NOTHING: Final = Scoring(asks=())

# Of so many times as many passages as are wanted the conditions leave enough, for a customer who sees most of them.
_OVERSIZE: Final = 5

Weighed = Mapping[int, float]
"""Term numbers of a question with their idf."""


def spelled(vector: Vector) -> str:
    """Spell a vector as Postgres reads it. It takes half a millisecond, so a question is spelled once."""
    return HalfVector(vector).to_text()


async def find_serving(
    connection: AsyncConnection,
    *,
    tenant: str,
    version: int | None,
    segments: Sequence[str],
    terms: Sequence[int] = (),
) -> tuple[ServingRow | None, dict[int, int]]:
    """Give the current version, or the one named, if it can serve, and the audiences that share one of the segments.

    Beside it: in how many of its servable passages each term stands; absent means in none. From here on every statement
    of this transaction is planned for its own values.
    """
    known: dict[str, Any] = {"tenant": tenant, "version": version}  # statement parameters of several types
    serving = Ask(statements.SERVING, known | {"segments": list(segments)})
    held = Ask(statements.FREQUENCIES, known | {"terms": listed(terms)})
    rows, counted = await ask_together(connection, [serving, held])
    return (_serving(rows[0]) if rows else None), {row.term: row.passages for row in counted}


async def audiences_of(connection: AsyncConnection, *, tenant: str, segments: Sequence[str]) -> tuple[int, ...]:
    """List the audiences that share a segment with the caller."""
    rows = await ask_one(connection, statements.AUDIENCES, {"tenant": tenant, "segments": list(segments)})
    return tuple(row.audience_id for row in rows)


async def frequencies(
    connection: AsyncConnection, *, tenant: str, version: int, terms: Sequence[int]
) -> dict[int, int]:
    """Say in how many servable passages of a version each term stands; absent means in none."""
    asked = {"tenant": tenant, "version": version, "terms": listed(terms)}
    rows = await ask_one(connection, statements.FREQUENCIES, asked)
    return {row.term: row.passages for row in rows}


async def score_together(connection: AsyncConnection, scorings: Sequence[Scoring]) -> list[dict[UUID, float]]:
    """Give what each way of scoring brings, best first, in one round trip; in one more where a way brings too few."""
    answers = iter(await ask_together(connection, [ask for each in scorings for ask in each.asks]))
    brought = [[next(answers) for _ in each.asks] for each in scorings]
    found: list[dict[UUID, float]] = []
    for each, answered in zip(scorings, brought, strict=True):
        rows = answered[-1] if answered else ()
        if each.otherwise and not each.is_enough(rows):
            rows = await ask_one(connection, each.otherwise.statement, each.otherwise.parameters)
        found.append({row.id: row.score for row in rows})
    return found


def lexical_arm(view: View, weighed: Weighed, *, limit: int) -> Scoring:
    """Give the passages with the highest BM25."""
    return Scoring(asks=(_lexical(view, weighed, limit),))


def broad_lexical_arm(view: View, weighed: Weighed, *, leading: frozenset[int], limit: int) -> Scoring:
    """Give what `lexical_arm` gives, by a shorter way for a customer who sees most of a version.

    Where some terms lead, the passages are those that hold one of them, each with the weight of all terms.
    """
    led = {term: idf for term, idf in weighed.items() if term in leading}
    others = {term: idf for term, idf in weighed.items() if term not in leading}
    following = {"other_terms": listed(others), "other_idfs": listed(others.values())}
    most = limit * _OVERSIZE
    asked = view.parameters | _asked(led) | following | {"limit": limit, "most": most}

    def is_enough(rows: Rows) -> bool:
        has_all = bool(rows) and not others and rows[0].considered < most
        return has_all or len(rows) == limit

    best = Ask(statements.LEXICAL_BEST, asked)
    return Scoring(asks=(best,), is_enough=is_enough, otherwise=_lexical(view, weighed, limit))


def exact_arm(view: View, asked: Compared, *, limit: int) -> Scoring:
    """Give the passages most similar to the question, comparing every one."""
    return Scoring(asks=(_exact(view, asked, limit),))


def approximate_arm(view: View, asked: Compared, *, limit: int, width: int) -> Scoring:
    """Give the most similar passages by the approximate index, in exact order; all are compared when it gives too few.

    Its walk ends after so many vectors, and those of other tenants and of what may not serve count among them.
    """
    near = Ask(statements.approximate(asked.vectors), view.parameters | asked.parameters | {"limit": limit})
    return Scoring(
        asks=(Ask(statements.APPROXIMATE_SETTINGS, {"width": str(width)}), near),
        is_enough=lambda rows: len(rows) == limit,
        otherwise=_exact(view, asked, limit),
    )


def lexical_of(*, tenant: str, weighed: Weighed, ids: Sequence[UUID]) -> Scoring:
    """Give the BM25 of these passages; absent means zero."""
    if not ids or not weighed:
        return NOTHING
    return Scoring(asks=(Ask(statements.LEXICAL_OF, {"tenant": tenant, "ids": listed(ids)} | _asked(weighed)),))


def similarity_of(*, tenant: str, asked: Compared, ids: Sequence[UUID]) -> Scoring:
    """Give the cosine of these passages with the question."""
    if not ids:
        return NOTHING
    known = {"tenant": tenant, "ids": listed(ids)}
    return Scoring(asks=(Ask(statements.similarity_of(asked.vectors), known | asked.parameters),))


async def sentences_of(
    connection: AsyncConnection, *, tenant: str, asked: Compared, ids: Sequence[UUID]
) -> dict[UUID, tuple[Sentence, ...]]:
    """Give the sentences of these passages in order, each with its cosine with the question.

    Shapes: a passage whose vectors of sentences are not there yet is absent.
    """
    return _sentences(await ask_one(connection, statements.SENTENCES, _near(tenant, asked, ids)))


async def read_passages(
    connection: AsyncConnection,
    *,
    tenant: str,
    ids: Sequence[UUID],
    sentences: Mapping[UUID, tuple[Sentence, ...]],
) -> dict[UUID, Passage]:
    """Give these passages with their records and the given sentences; others are cut here, without a similarity."""
    rows = await ask_one(connection, statements.PASSAGES, {"tenant": tenant, "ids": listed(ids)})
    return {row.id: _passage(row, sentences.get(row.id)) for row in rows}


async def read_best(
    connection: AsyncConnection, *, tenant: str, asked: Compared, ids: Sequence[UUID], beside: Ask
) -> tuple[Stretches, Rows]:
    """Read the passages that an answer may show with their sentences, and ask something beside, in one round trip."""
    passages = Ask(statements.PASSAGES, {"tenant": tenant, "ids": listed(ids)})
    sentences = Ask(statements.SENTENCES, _near(tenant, asked, ids))
    compared, rows, others = await ask_together(connection, [sentences, passages, beside])
    return Stretches(sentences=_sentences(compared), rows={row.id: row for row in rows}), others


async def find_readable(
    connection: AsyncConnection, *, tenant: str, passage_id: UUID, audiences: Sequence[int], today: date
) -> Readable | None:
    """Say how a passage stands today; None when this customer may not see it or it has not begun."""
    parameters = {"tenant": tenant, "id": passage_id, "audiences": listed(audiences), "today": today}
    rows = await ask_one(connection, statements.READABLE, parameters)
    return Readable(replaced_by=rows[0].replaced_by, withdrawn_at=rows[0].withdrawn_at) if rows else None


async def any_withdrawn(connection: AsyncConnection, *, tenant: str, ids: Sequence[UUID]) -> bool:
    """Tell whether one of these passages has been withdrawn."""
    rows = await ask_one(connection, statements.WITHDRAWN, {"tenant": tenant, "ids": listed(ids)})
    return bool(rows[0].is_withdrawn)


def all_lexical(view: View, weighed: Weighed, *, limit: int) -> Scoring:
    """Give the passages with the highest BM25 whoever may see them and whenever they hold."""
    return Scoring(asks=(Ask(statements.ALL_LEXICAL, view.parameters | _asked(weighed) | {"limit": limit}),))


def all_similar(view: View, asked: Compared, *, limit: int) -> Scoring:
    """Give the most similar passages whoever may see them and whenever they hold."""
    known = view.parameters | asked.parameters | {"limit": limit}
    return Scoring(asks=(Ask(statements.all_similar(asked.vectors), known),))


def anywhere_lexical(*, tenant: str, weighed: Weighed, limit: int) -> Scoring:
    """Give the passages with the highest BM25 of all that the tenant ever had."""
    return Scoring(asks=(Ask(statements.ANYWHERE_LEXICAL, {"tenant": tenant, "limit": limit} | _asked(weighed)),))


def anywhere_similar(*, tenant: str, asked: Compared, limit: int) -> Scoring:
    """Give the most similar passages of all that the tenant ever had."""
    known = {"tenant": tenant, "limit": limit} | asked.parameters
    return Scoring(asks=(Ask(statements.anywhere_similar(asked.vectors), known),))


async def records_of(connection: AsyncConnection, view: View, ids: Sequence[UUID]) -> dict[UUID, Record]:
    """Give these passages with what decides whether they may serve this customer."""
    rows = await ask_one(connection, statements.RECORDS, view.parameters | {"ids": listed(ids)})
    return {row.id: _record(row) for row in rows}


async def standings(connection: AsyncConnection, view: View, ids: Sequence[UUID]) -> dict[UUID, Standing]:
    """Say of each of these passages its language, whether this customer may see it and whether it is in force."""
    rows = await ask_one(connection, statements.STANDING, view.parameters | {"ids": listed(ids)})
    return {
        row.id: Standing(language=row.language, is_visible=row.is_visible, is_in_force=row.is_in_force) for row in rows
    }


def _lexical(view: View, weighed: Weighed, limit: int) -> Ask:
    return Ask(statements.LEXICAL, view.parameters | _asked(weighed) | {"limit": limit})


def _exact(view: View, asked: Compared, limit: int) -> Ask:
    return Ask(statements.exact(asked.vectors), view.parameters | asked.parameters | {"limit": limit})


def _asked(weighed: Weighed) -> dict[str, Any]:  # statement parameters of several types
    return {"terms": listed(weighed), "idfs": listed(weighed.values())}


def _near(tenant: str, asked: Compared, ids: Sequence[UUID]) -> dict[str, Any]:  # as above
    return {"tenant": tenant, "ids": listed(ids)} | asked.parameters


def _sentences(rows: Rows) -> dict[UUID, tuple[Sentence, ...]]:
    found: dict[UUID, list[Sentence]] = {}
    for row in rows:
        placed = Sentence(start=row.text_start, end=row.text_end, similarity=row.score)
        found.setdefault(row.id, []).append(placed)
    return {passage_id: tuple(sentences) for passage_id, sentences in found.items()}


def _serving(row: Any) -> ServingRow:  # a row of the statement
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


def _record(row: Any) -> Record:  # a row of a joined query
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


def _passage(row: Any, sentences: tuple[Sentence, ...] | None) -> Passage:  # a row of a joined query
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
        sentences=sentences or _uncompared(row.text),
        page=row.page,
        line=row.line,
        area=row.area,
    )
