"""Keep attempts and their feedback. Every statement names the customer or the lease; the tenant is the transaction's."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Row, Update, func, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from bff.attempts.attempt import Attempt, Completed, Failed, NewAttempt, RequestKey, Turn
from bff.attempts.judging import judgement_of
from bff.attempts.retrying import EndedLineage
from bff.stream.numbered import dumped, loaded, numbered
from bff.tables import ATTEMPT, FEEDBACK, OUTBOX
from contracts.answers import CitationView, Outcome
from contracts.customer import Feedback
from contracts.errors import NotFoundError
from contracts.ids import uuid7
from contracts.messages import ATTEMPT_JUDGED, KNOWLEDGE_QUEUE, AttemptJudged, TicketContact
from contracts.reasons import FailureCode
from contracts.stream import AttemptEvent
from runtime import outbox

LEASE_SECONDS: Final = 30
_KEY_HOURS: Final = 24
_HISTORY: Final = 5
_LEASE_END: Final = text(f"clock_timestamp() + interval '{LEASE_SECONDS} seconds'")
_CITATIONS: Final = TypeAdapter(tuple[CitationView, ...])


class AttemptStore:
    """Attempts of one customer, in one transaction."""

    def __init__(self, connection: AsyncConnection, *, tenant: str, customer: str) -> None:
        """Bind the transaction and whose attempts these are."""
        self._connection = connection
        self._tenant = tenant
        self._customer = customer

    async def add(self, new: NewAttempt) -> Attempt | None:
        """Add a row; None when its key is taken or the conversation has a PENDING attempt.

        Errors: NotFoundError when the conversation was erased since it was found.
        """
        statement = insert(ATTEMPT).values(**_new_row(new)).on_conflict_do_nothing().returning(ATTEMPT)
        try:
            row = (await self._connection.execute(statement)).one_or_none()
        except IntegrityError as erased:
            raise NotFoundError from erased
        return None if row is None else _attempt(row)

    async def find_by_request(self, request: RequestKey) -> Attempt | None:
        """Give the attempt that a POST with this key made; after 24 hours the key is free again."""
        columns = ATTEMPT.c
        mine = (
            (columns.customer == self._customer)
            & (columns.request_route == request.route)
            & (columns.request_key == request.key)
        )
        is_old = columns.created_at < text(f"clock_timestamp() - interval '{_KEY_HOURS} hours'")
        await self._connection.execute(update(ATTEMPT).where(mine, is_old).values(request_key=None))
        row = (await self._connection.execute(select(ATTEMPT).where(mine))).one_or_none()
        return None if row is None else _attempt(row)

    async def count_running(self) -> int:
        """Count the customer's attempts that are PENDING."""
        columns = ATTEMPT.c
        counting = select(func.count()).where(columns.customer == self._customer, columns.status == "PENDING")
        return (await self._connection.execute(counting)).scalar_one()

    async def find(self, conversation_id: UUID, attempt_id: UUID) -> Attempt:
        """Give an attempt. Errors: NotFoundError when it is unknown, somebody else's, or of another conversation."""
        row = (await self._connection.execute(self._mine(conversation_id, ATTEMPT.c.id == attempt_id))).one_or_none()
        if row is None:
            raise NotFoundError
        return _attempt(row)

    async def find_all(self, conversation_id: UUID) -> tuple[Attempt, ...]:
        """Give all attempts of a conversation in the order they were asked."""
        columns = ATTEMPT.c
        rows = await self._connection.execute(self._mine(conversation_id).order_by(columns.created_at, columns.id))
        return tuple(_attempt(row) for row in rows)

    async def history(self, conversation_id: UUID, *, before: UUID) -> tuple[Turn, ...]:
        """Give the last closed attempts of a conversation, newest first."""
        columns = ATTEMPT.c
        rows = await self._connection.execute(
            self._mine(conversation_id, columns.id != before, columns.status != "PENDING")
            .order_by(columns.created_at.desc(), columns.id.desc())
            .limit(_HISTORY)
        )
        return tuple(
            Turn(question=row.question, refused=row.refused, failure_code=_failure_code(row.failure_code))
            for row in rows
        )

    async def lineage(self, lineage_id: UUID) -> tuple[UUID, ...]:
        """Give the ids of an original attempt and its retries, oldest first."""
        columns = ATTEMPT.c
        rows = await self._connection.execute(
            select(columns.id)
            .where(columns.lineage_id == lineage_id, columns.customer == self._customer)
            .order_by(columns.created_at, columns.id)
        )
        return tuple(rows.scalars())

    async def lock_lineage(self, lineage_id: UUID) -> None:
        """Let retries of one lineage pass one after the other, so that their limit holds."""
        columns = ATTEMPT.c
        await self._connection.execute(select(columns.id).where(columns.id == lineage_id).with_for_update())

    async def cancel(self, attempt_id: UUID, result: Completed | Failed, events: tuple[AttemptEvent, ...]) -> bool:
        """Close an attempt in the customer's name if it is PENDING; say whether this call did it."""
        own = (ATTEMPT.c.id == attempt_id) & (ATTEMPT.c.customer == self._customer)
        return await _closed(self._connection, _closing(result, events).where(own))

    async def judge(self, attempt: Attempt, feedback: Feedback) -> bool:
        """Store a judgement or correct the one there is, tell knowledge, and say whether it is the attempt's first.

        Repeat: an equal judgement is no news. Errors: NotFoundError when the attempt was erased since it was found.
        """
        columns = FEEDBACK.c
        judgement = {"rating": feedback.rating, "reason_code": feedback.reason_code, "comment": feedback.comment}
        adding = insert(FEEDBACK).values(
            attempt_id=attempt.attempt_id, customer=self._customer, tenant=self._tenant, **judgement
        )
        judging = adding.on_conflict_do_update(
            index_elements=[columns.attempt_id, columns.customer],
            set_={**judgement, "corrected_at": text("clock_timestamp()")},
            where=or_(*(columns[name].is_distinct_from(said) for name, said in judgement.items())),
        ).returning(columns.created_at, columns.corrected_at)
        try:
            row = (await self._connection.execute(judging)).one_or_none()
        except IntegrityError as erased:
            raise NotFoundError from erased
        if row is None:
            return False
        news = judgement_of(attempt, feedback, judged_at=row.created_at, corrected_at=row.corrected_at)
        await outbox.write(self._connection, OUTBOX, _message(news))
        return row.corrected_at is None

    async def judgements(self, attempt_ids: Sequence[UUID]) -> dict[UUID, Feedback]:
        """Give the customer's judgements of these attempts."""
        columns = FEEDBACK.c
        rows = await self._connection.execute(
            select(FEEDBACK).where(columns.attempt_id.in_(attempt_ids), columns.customer == self._customer)
        )
        return {
            row.attempt_id: Feedback(rating=row.rating, reason_code=row.reason_code, comment=row.comment)
            for row in rows
        }

    def _mine(self, conversation_id: UUID, *more: ColumnElement[bool]) -> Any:  # a Select of the whole table
        columns = ATTEMPT.c
        return select(ATTEMPT).where(
            columns.conversation_id == conversation_id, columns.customer == self._customer, *more
        )


class LeaseStore:
    """Attempts by their lease, in one transaction: for runners and reapers, which act for no customer."""

    def __init__(self, connection: AsyncConnection) -> None:
        """Bind the transaction of the attempt's tenant."""
        self._connection = connection

    async def read(self, attempt_id: UUID) -> Attempt:
        """Give an attempt. Errors: NotFoundError when it was erased."""
        row = (await self._connection.execute(select(ATTEMPT).where(ATTEMPT.c.id == attempt_id))).one_or_none()
        if row is None:
            raise NotFoundError
        return _attempt(row)

    async def renew(self, attempt_id: UUID, *, holder: UUID) -> bool:
        """Extend a lease by 30 seconds; False when it is lost or the attempt is closed."""
        return await _closed(
            self._connection, update(ATTEMPT).where(_held(attempt_id, holder)).values(lease_until=_LEASE_END)
        )

    async def take_over(self, attempt_id: UUID, *, holder: UUID) -> Attempt | None:
        """Take an expired lease; None when it is not expired any more."""
        columns = ATTEMPT.c
        row = (
            await self._connection.execute(
                update(ATTEMPT)
                .where(
                    columns.id == attempt_id,
                    columns.status == "PENDING",
                    columns.lease_until < text("clock_timestamp()"),
                )
                .values(lease_holder=holder, lease_until=_LEASE_END)
                .returning(ATTEMPT)
            )
        ).one_or_none()
        return None if row is None else _attempt(row)

    async def close(
        self, attempt_id: UUID, result: Completed | Failed, events: tuple[AttemptEvent, ...], *, holder: UUID
    ) -> Attempt | None:
        """Close an attempt if it is PENDING and its lease is the holder's; None when somebody was first."""
        statement = _closing(result, events).where(_held(attempt_id, holder)).returning(ATTEMPT)
        row = (await self._connection.execute(statement)).one_or_none()
        return None if row is None else _attempt(row)


async def expired_leases(connection: AsyncConnection, *, limit: int) -> tuple[tuple[str, UUID], ...]:
    """Give tenant and id of attempts whose runner is gone. The connection is the sweeper's."""
    columns = ATTEMPT.c
    rows = await connection.execute(
        select(columns.tenant, columns.id)
        .where(columns.status == "PENDING", columns.lease_until < text("clock_timestamp()"))
        .order_by(columns.lease_until)
        .limit(limit)
    )
    return tuple((row.tenant, row.id) for row in rows)


def _message(news: AttemptJudged) -> outbox.Message:
    return outbox.Message(
        message_id=uuid7(),
        tenant=news.tenant,
        type=ATTEMPT_JUDGED,
        queue=KNOWLEDGE_QUEUE,
        subject=news.attempt_id,
        attempt_id=news.attempt_id,
        data=news.model_dump(mode="json"),
    )


async def end_lineages(connection: AsyncConnection) -> tuple[EndedLineage, ...]:
    """Mark retried questions after which nothing came for half an hour, each once, and give how they ended."""
    rows = await connection.execute(_END_LINEAGES)
    return tuple(EndedLineage(end=row.ending, channel=row.channel, areas=tuple(row.areas)) for row in rows)


_END_LINEAGES: Final = text(
    """
    WITH ended AS (
        UPDATE attempt SET is_lineage_counted = true
        WHERE lineage_id IN (
            SELECT retried.lineage_id FROM attempt AS retried
            WHERE retried.retry_of_attempt_id IS NOT NULL AND NOT retried.is_lineage_counted
            AND NOT EXISTS (
                SELECT FROM attempt AS late WHERE late.lineage_id = retried.lineage_id
                AND (late.status = 'PENDING' OR late.completed_at > clock_timestamp() - interval '30 minutes'))
            LIMIT 200)
        AND NOT is_lineage_counted
        RETURNING id, lineage_id, channel, areas, status, refused, created_at),
    last AS (SELECT DISTINCT ON (lineage_id) * FROM ended ORDER BY lineage_id, created_at DESC, id DESC)
    SELECT channel, areas,
           CASE WHEN EXISTS (SELECT FROM escalation JOIN ended ON ended.id = escalation.attempt_id
                             WHERE ended.lineage_id = last.lineage_id) THEN 'escalated'
                WHEN status = 'FAILED' THEN 'failed' WHEN refused THEN 'refused' ELSE 'answered' END AS ending
    FROM last
    """
)


def _held(attempt_id: UUID, holder: UUID) -> ColumnElement[bool]:
    columns = ATTEMPT.c
    return (columns.id == attempt_id) & (columns.status == "PENDING") & (columns.lease_holder == holder)


def _closing(result: Completed | Failed, events: tuple[AttemptEvent, ...]) -> Update:
    values = _completed_row(result) if isinstance(result, Completed) else _failed_row(result)
    return (
        update(ATTEMPT)
        .where(ATTEMPT.c.status == "PENDING")
        .values(events=[dumped(event) for event in events], completed_at=text("clock_timestamp()"), **values)
    )


def _completed_row(result: Completed) -> dict[str, object]:
    outcome = result.outcome
    return {
        "status": "COMPLETED",
        "outcome": outcome.model_dump(mode="json"),
        "citations": [citation.model_dump(mode="json") for citation in result.citations],
        "knowledge_version": result.knowledge_version,
        "documents": list(result.documents),
        "areas": list(result.areas),
        "refused": outcome.refused,
        "reason_code": outcome.reason_code,
        "handoff": outcome.handoff,
    }


def _failed_row(result: Failed) -> dict[str, object]:
    return {"status": "FAILED", "failure_code": result.code.value, "handoff": result.handoff}


async def _closed(connection: AsyncConnection, statement: Update) -> bool:
    return (await connection.execute(statement)).rowcount == 1


def _new_row(new: NewAttempt) -> dict[str, object]:
    request = new.request
    return {
        "id": new.attempt_id,
        "tenant": new.tenant,
        "customer": new.customer,
        "channel": new.channel,
        "conversation_id": new.conversation_id,
        "retry_of_attempt_id": new.retry_of_attempt_id,
        "lineage_id": new.lineage_id,
        "question": new.question,
        "language": new.language,
        "as_of": new.as_of,
        "asked_at": new.asked_at,
        "segments": list(new.segments),
        "facts": new.facts,
        "typed_facts": new.typed_facts,
        "trace_id": new.trace_id,
        "lease_holder": new.lease_holder,
        "lease_until": _LEASE_END,
        "request_route": request and request.route,
        "request_key": request and request.key,
        "request_hash": request and request.content_hash,
        "contact": None if new.contact is None else new.contact.model_dump(mode="json", exclude_none=True),
    }


def _attempt(row: Row[Any]) -> Attempt:  # a whole row of the table
    as_of: date = row.as_of
    created_at: datetime = row.created_at
    return Attempt(
        attempt_id=row.id,
        tenant=row.tenant,
        customer=row.customer,
        channel=row.channel,
        conversation_id=row.conversation_id,
        retry_of_attempt_id=row.retry_of_attempt_id,
        lineage_id=row.lineage_id,
        status=row.status,
        question=row.question,
        language=row.language,
        as_of=as_of,
        asked_at=row.asked_at,
        segments=tuple(row.segments),
        facts=row.facts,
        typed_facts=row.typed_facts,
        trace_id=row.trace_id,
        knowledge_version=row.knowledge_version,
        outcome=None if row.outcome is None else Outcome.model_validate(row.outcome),
        citations=_CITATIONS.validate_python(row.citations),
        areas=tuple(row.areas),
        events=None if row.events is None else numbered(loaded(event) for event in row.events),
        failure_code=_failure_code(row.failure_code),
        handoff=row.handoff,
        request_hash=row.request_hash,
        created_at=created_at,
        completed_at=row.completed_at,
        contact=None if row.contact is None else TicketContact.model_validate(row.contact),
    )


def _failure_code(stored: str | None) -> FailureCode | None:
    return None if stored is None else FailureCode(stored)
