"""Find judgements with the attempts they judged. The tenant is the transaction's."""

from typing import Final
from uuid import UUID

from sqlalchemy import ColumnElement, RowMapping, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bff.judgements.judgement import Judgement, Wanted
from bff.tables import ATTEMPT, FEEDBACK
from contracts.ids import printed

_ATTEMPT: Final = ATTEMPT.c
_FEEDBACK: Final = FEEDBACK.c
_COLUMNS: Final = (
    _FEEDBACK.attempt_id,
    _FEEDBACK.rating,
    _FEEDBACK.reason_code,
    _FEEDBACK.comment,
    _FEEDBACK.created_at.label("judged_at"),
    _FEEDBACK.corrected_at,
    _ATTEMPT.conversation_id,
    _ATTEMPT.question,
    _ATTEMPT.outcome["answer"].astext.label("answer"),
    _ATTEMPT.reason_code.label("refusal_code"),
    _ATTEMPT.knowledge_version,
    _ATTEMPT.documents,
    _ATTEMPT.areas,
    _ATTEMPT.channel,
    _ATTEMPT.language,
    _ATTEMPT.asked_at,
)


async def find_judgements(
    connection: AsyncConnection, wanted: Wanted, *, below: UUID | None, limit: int
) -> tuple[Judgement, ...]:
    """Give judgements, those of the newest attempts first, from below an attempt on."""
    joined = FEEDBACK.join(ATTEMPT, _ATTEMPT.id == _FEEDBACK.attempt_id)
    query = select(*_COLUMNS).select_from(joined).where(*_conditions(wanted))
    if below is not None:
        query = query.where(_FEEDBACK.attempt_id < below)
    rows = await connection.execute(query.order_by(_FEEDBACK.attempt_id.desc()).limit(limit))
    return tuple(_judgement(row) for row in rows.mappings())


def _conditions(wanted: Wanted) -> list[ColumnElement[bool]]:
    equal = (
        (_FEEDBACK.rating, wanted.rating),
        (_FEEDBACK.reason_code, wanted.reason_code),
        (_ATTEMPT.knowledge_version, wanted.knowledge_version),
        (_ATTEMPT.channel, wanted.channel),
    )
    conditions = [column == value for column, value in equal if value is not None]
    for column, member in ((_ATTEMPT.documents, wanted.document), (_ATTEMPT.areas, wanted.area)):
        if member is not None:
            conditions.append(column.contains([member]))
    if wanted.since is not None:
        conditions.append(_FEEDBACK.created_at >= wanted.since)
    if wanted.until is not None:
        conditions.append(_FEEDBACK.created_at < wanted.until)
    return conditions


def _judgement(row: RowMapping) -> Judgement:
    ids = {
        "attempt_id": printed("att", row["attempt_id"]),
        "conversation_id": printed("cnv", row["conversation_id"]),
    }
    return Judgement.model_validate({**row, **ids})
