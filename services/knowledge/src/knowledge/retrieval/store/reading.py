"""Reads passages with their records and sentences, and how they stand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from contracts.reasons import Language
from knowledge.ingestion.sentences import split_sentences
from knowledge.retrieval import statements
from knowledge.retrieval.inspecting import Record
from knowledge.retrieval.passage import Passage, Sentence
from knowledge.retrieval.store import planning
from knowledge.retrieval.store.scoring import Compared, View
from runtime.round_trips import Ask, Rows, ask_one, ask_together, listed


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
class Stretches:
    """What an answer may show, as stored: passages are put together only where they are shown."""

    sentences: dict[UUID, tuple[Sentence, ...]]
    rows: Mapping[UUID, Any]  # rows of a joined query

    def missing(self, ids: Sequence[UUID]) -> list[UUID]:
        """List those of these passages that have not been read."""
        return [each for each in ids if each not in self.rows]

    def joined(self, other: "Stretches") -> "Stretches":
        """Put together what was read at two times of one snapshot."""
        return Stretches(sentences=self.sentences | other.sentences, rows={**self.rows, **other.rows})

    def passages(self, ids: Sequence[UUID], sentences: Mapping[UUID, tuple[Sentence, ...]]) -> dict[UUID, Passage]:
        """Put these passages together with the given sentences."""
        return {each: _passage(self.rows[each], sentences.get(each)) for each in ids if each in self.rows}


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
    _, compared, rows, others = await ask_together(connection, [planning.ONCE, sentences, passages, beside])
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


def _near(tenant: str, asked: Compared, ids: Sequence[UUID]) -> dict[str, Any]:  # as above
    return {"tenant": tenant, "ids": listed(ids)} | asked.parameters


def _sentences(rows: Rows) -> dict[UUID, tuple[Sentence, ...]]:
    found: dict[UUID, list[Sentence]] = {}
    for row in rows:
        placed = Sentence(start=row.text_start, end=row.text_end, similarity=row.score)
        found.setdefault(row.id, []).append(placed)
    return {passage_id: tuple(sentences) for passage_id, sentences in found.items()}


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
        audience=tuple(row.segments.split(",")),
    )
