"""Gather all that is known of an attempt in the queue."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Final, cast
from uuid import UUID

from sqlalchemy import RowMapping, select
from sqlalchemy.ext.asyncio import AsyncConnection

from contracts.answers import CitationView, Outcome
from contracts.reasons import FailureCode
from knowledge.answering.log import LoggedFault
from knowledge.answering.logged_usage import read_missed
from knowledge.retrieval.passage import Scores
from knowledge.review.detail import CheckedClaim, Detail, Ending, Question, ShownDraft, ShownPassage
from knowledge.review.receiving import Judgement, Wish
from knowledge.review.store.queue import find_item
from knowledge.review.store.verdicts import list_verdicts
from knowledge.tables.answers import answer_cause, answer_log, answer_opening
from knowledge.tables.checks import answer_judgement
from knowledge.tables.documents import document, revision
from knowledge.tables.index import passage
from knowledge.tables.review import review_escalation, review_judgement

_SCORES: Final = tuple(field.name for field in fields(Scores))

Stored = Mapping[str, Any]
"""JSON as the answer log holds it."""
Passages = Mapping[UUID, RowMapping]


async def read_detail(connection: AsyncConnection, attempt_id: UUID) -> Detail:
    """Gather an item with its attempt. Errors: ItemNotFoundError."""
    item = await find_item(connection, attempt_id)
    return Detail(
        item=item,
        question=await read_question(connection, attempt_id),
        ending=await _ending(connection, attempt_id),
        checks=await _checks(connection, attempt_id),
        judgement=await _judgement(connection, attempt_id),
        wishes=await _wishes(connection, attempt_id),
        verdicts=tuple(await list_verdicts(connection, attempt_id)),
    )


async def read_question(connection: AsyncConnection, attempt_id: UUID) -> Question | None:
    """Give what was asked; None when the log does not know the attempt."""
    asked = select(answer_opening).where(answer_opening.c.attempt == attempt_id)
    row = (await connection.execute(asked)).mappings().first()
    if row is None:
        return None
    return Question(
        conversation=row["conversation"],
        retry_of=row["retry_of"],
        channel=row["channel"],
        audience=tuple(row["audience"]),
        language=row["language"],
        as_of=row["as_of"],
        asked_at=row["asked_at"],
        text=row["question_masked"],
        earlier=tuple(row["earlier"] or ()),
        facts=row["facts"] or {},
        typed_facts=row["typed_facts"] or {},
        trace_id=row["trace_id"],
    )


async def texts_of(connection: AsyncConnection, attempt_ids: Sequence[UUID]) -> dict[UUID, str | None]:
    """Give the masked questions of attempts; None where the customer was erased."""
    columns = answer_opening.c
    asked = select(columns.attempt, columns.question_masked).where(columns.attempt.in_(attempt_ids))
    return {row.attempt: row.question_masked for row in await connection.execute(asked)}


async def _ending(connection: AsyncConnection, attempt_id: UUID) -> Ending | None:
    log = (await connection.execute(select(answer_log).where(answer_log.c.attempt == attempt_id))).mappings().first()
    if log is None:
        return None
    noted = select(answer_cause).where(answer_cause.c.attempt == attempt_id)
    cause = (await connection.execute(noted)).mappings().first()
    beyond: Sequence[Stored] = cause["candidates"] if cause else ()
    passages = await _passages(connection, [*log["candidates"], *beyond])
    context = frozenset(cast("Sequence[UUID]", log["policy_context"]))  # the column's type
    return Ending(
        outcome=None if log["result"] is None else Outcome.model_validate(log["result"]),
        failure=None if log["failure"] is None else FailureCode(log["failure"]),
        cause=cause["cause"] if cause else log["cause"],
        version=log["version"],
        route=log["route"],
        route_rule=log["route_rule"],
        strength=log["strength"],
        read_as=tuple(log["read_as"] or ()),
        lacking=tuple(log["lacking"] or ()),
        citations=tuple(CitationView.model_validate(each["view"]) for each in log["citations"]),
        candidates=tuple(_shown(each, passages, context) for each in log["candidates"]),
        beyond_reach=tuple(_shown(each, passages, context) for each in beyond),
        drafts=tuple(_draft(each) for each in log["drafts"] or ()),
        closed_at=log["closed_at"],
    )


async def _passages(connection: AsyncConnection, candidates: Sequence[Stored]) -> Passages:
    ids = {UUID(each["passageId"]) for each in candidates}
    if not ids:
        return {}
    found = (
        select(
            passage.c.id, passage.c.heading_path, passage.c.text, revision.c.label, revision.c.title, document.c.slug
        )
        .join(revision, revision.c.id == passage.c.revision)
        .join(document, document.c.id == revision.c.document)
        .where(passage.c.id.in_(ids))
    )
    return {row["id"]: row for row in (await connection.execute(found)).mappings()}


async def _checks(connection: AsyncConnection, attempt_id: UUID) -> tuple[CheckedClaim, ...]:
    columns = answer_judgement.c
    said = (
        select(columns.part, columns.is_supported, columns.reason)
        .where(columns.attempt == attempt_id)
        .order_by(columns.claim)
    )
    return tuple(CheckedClaim(**row) for row in (await connection.execute(said)).mappings())


async def _judgement(connection: AsyncConnection, attempt_id: UUID) -> Judgement | None:
    said = select(review_judgement).where(review_judgement.c.attempt == attempt_id)
    row = (await connection.execute(said)).mappings().first()
    if row is None:
        return None
    names = ("tenant", "rating", "reason_code", "comment", "is_correction", "judged_at")
    return Judgement(attempt_id=attempt_id, **{name: row[name] for name in names})


async def _wishes(connection: AsyncConnection, attempt_id: UUID) -> tuple[Wish, ...]:
    columns = review_escalation.c
    said = select(review_escalation).where(columns.attempt == attempt_id).order_by(columns.requested_at)
    names = ("tenant", "origin", "note", "requested_at")
    return tuple(
        Wish(attempt_id=attempt_id, escalation_id=row["escalation"], **{name: row[name] for name in names})
        for row in (await connection.execute(said)).mappings()
    )


def _shown(candidate: Stored, passages: Passages, context: frozenset[UUID]) -> ShownPassage:
    passage_id = UUID(candidate["passageId"])
    known = passages.get(passage_id)
    return ShownPassage(
        passage_id=passage_id,
        slug=known["slug"] if known else None,
        label=known["label"] if known else None,
        title=known["title"] if known else None,
        section=" > ".join(known["heading_path"]) if known else None,
        text=known["text"] if known else None,
        scores=Scores(**{name: candidate[name] for name in _SCORES if name in candidate}),
        is_in_context=passage_id in context,
    )


def _draft(stored: Stored) -> ShownDraft:
    return ShownDraft(
        writer=stored["writer"],
        text=stored["raw"],
        quotes=tuple(each["quote"] for each in stored["claimed"]),
        faults=tuple(LoggedFault(**each) for each in stored["faults"]),
        trouble=stored["trouble"],
        missed=read_missed(stored),
    )
