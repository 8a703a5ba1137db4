"""Make messages about attempts, and attempts in the answer log they are about."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final
from uuid import UUID

from contracts.ids import printed, uuid7
from contracts.messages import ATTEMPT_JUDGED, ESCALATION_REQUESTED, AttemptJudged, Envelope, EscalationRequested
from contracts.model import Message
from contracts.reasons import Rating
from knowledge.adapters.answer_log import PostgresAnswerLog
from knowledge.adapters.extractive import ExtractiveWriter
from knowledge.answering.log import Asked, Closing, LoggedDraft
from knowledge.asking import Means, answer
from knowledge.retrieval.searching import Searcher
from knowledge.tasks.inbox import KINDS, take_in_transaction
from runtime.database import Database
from runtime.receiving import Receiver, receive
from tests.support.answering import (
    NOON,
    FakeLog,
    FakeSearcher,
    compute_here,
    counting_handles,
    make_asked,
    make_passage,
    no_stage,
)

JUDGED_AT: Final = datetime(2026, 7, 15, 12, tzinfo=UTC)
RETURNS: Final = make_passage("茶壶可以在九天内退回。但刻字的除外。", document="returns", heading="退货")


async def log_attempt(
    database: Database,
    tenant: str,
    *,
    searcher: Searcher | None = None,
    question: str = "茶壶几天内可以退？",
    drafts: tuple[LoggedDraft, ...] = (),
    closed_at: datetime = NOON,
) -> Asked:
    """Answer a question and log it; rejected drafts come before the one that was released."""
    asked = replace(make_asked(question), tenant=tenant, attempt_id=uuid7())
    log = PostgresAnswerLog(database, fingerprint_of=lambda _: "f1")
    await log.open(asked)
    closing = await closing_of(asked, searcher or FakeSearcher((RETURNS,)))
    await log.close(asked, replace(closing, drafts=(*drafts, *closing.drafts), closed_at=closed_at))
    return asked


def judged(
    tenant: str,
    attempt_id: UUID,
    rating: Rating = "NOT_HELPFUL",
    *,
    minutes: int = 0,
    comment: str | None = None,
) -> Envelope:
    """Make the message of a judgement."""
    data = AttemptJudged(
        tenant=tenant,
        attempt_id=printed("att", attempt_id),
        conversation_id="cnv_made_up",
        rating=rating,
        reason_code="OUTDATED" if rating == "NOT_HELPFUL" else None,
        comment=comment,
        is_correction=minutes > 0,
        judged_at=JUDGED_AT + timedelta(minutes=minutes),
    )
    return _envelope(ATTEMPT_JUDGED, data, tenant=tenant, attempt_id=attempt_id)


def wished(tenant: str, attempt_id: UUID, *, escalation_id: str = "esc_1", note: str | None = None) -> Envelope:
    """Make the message of a wish for a person."""
    data = EscalationRequested(
        tenant=tenant,
        escalation_id=escalation_id,
        attempt_id=printed("att", attempt_id),
        conversation_id="cnv_made_up",
        origin="customer",
        note=note,
        requested_at=JUDGED_AT,
    )
    return _envelope(ESCALATION_REQUESTED, data, tenant=tenant, attempt_id=attempt_id)


def _envelope(kind: str, data: Message, *, tenant: str, attempt_id: UUID) -> Envelope:
    return Envelope(
        id=str(uuid7()),
        source="bff",
        type=kind,
        subject="made up",
        time=JUDGED_AT,
        tenant=tenant,
        attemptid=printed("att", attempt_id),
        data=data.model_dump(mode="json"),
    )


async def closing_of(asked: Asked, searcher: Searcher) -> Closing:
    """Answer a question without logging it."""
    writer = ExtractiveWriter(compute_here)
    means = Means(
        searcher=searcher, writer=writer, fallback=writer, log=FakeLog(), compute=compute_here, stage=no_stage,
        seconds=lambda: 0.0, deadline_seconds=30.0, now=lambda: NOON, new_handle=counting_handles(),
    )  # fmt: skip
    return await answer(asked, means=means)


def take(receiver: Receiver, envelope: Envelope) -> None:
    """Receive a message as the worker does."""
    handle = partial(take_in_transaction, receiver.database, KINDS[envelope.type])
    receive(receiver, envelope.model_dump(mode="json"), handle)
