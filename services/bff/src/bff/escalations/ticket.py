"""Write what a ticket says: everything a person needs to go on, and nothing a model said."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from bff.attempts.attempt import Attempt
from bff.attempts.judging import NotCompletedError
from bff.escalations.escalation import Origin
from contracts.customer import Feedback
from contracts.ids import printed
from contracts.messages import (
    CreateTicket,
    EscalationRequested,
    TicketCitation,
    TicketContact,
    TicketFeedback,
    TranscriptTurn,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What led to the wish: the attempt, its judgement, its lineage, and the whole conversation in order; how to reach the customer."""

    attempt: Attempt
    feedback: Feedback | None
    lineage: tuple[UUID, ...]
    conversation: tuple[Attempt, ...]
    contact: TicketContact | None = None


def ticket_of(story: Story, *, escalation_id: UUID, note: str | None, requested_at: datetime) -> CreateTicket:
    """Write the ticket of an escalation. Errors: NotCompletedError unless the attempt is COMPLETED."""
    attempt = story.attempt
    outcome = attempt.outcome
    if outcome is None:
        raise NotCompletedError
    printed_id = printed("esc", escalation_id)
    return CreateTicket(
        tenant=attempt.tenant,
        ticket_key=f"{attempt.tenant}:{printed_id}",
        escalation_id=printed_id,
        attempt_id=printed("att", attempt.attempt_id),
        conversation_id=printed("cnv", attempt.conversation_id),
        question=attempt.question,
        answer=outcome.answer or None,
        refused=outcome.refused,
        reason_code=outcome.reason_code,
        refusal_reason=outcome.refusal_reason,
        handoff=attempt.handoff,
        citations=_citations(attempt),
        feedback=_feedback(story.feedback),
        lineage=tuple(printed("att", member) for member in story.lineage),
        transcript=tuple(_turn(earlier) for earlier in story.conversation if earlier.attempt_id != attempt.attempt_id),
        note=note,
        language=attempt.language,
        priority="high" if attempt.handoff == "required" else "normal",
        trace_id=attempt.trace_id,
        requested_at=requested_at,
        contact=story.contact,
    )


def request_of(ticket: CreateTicket, *, origin: Origin) -> EscalationRequested:
    """Say of a wish for a person what the people who look after the answers should know."""
    return EscalationRequested(
        tenant=ticket.tenant,
        escalation_id=ticket.escalation_id,
        attempt_id=ticket.attempt_id,
        conversation_id=ticket.conversation_id,
        origin=origin,
        note=ticket.note,
        requested_at=ticket.requested_at,
    )


def _citations(attempt: Attempt) -> tuple[TicketCitation, ...]:
    return tuple(
        TicketCitation(
            index=citation.index,
            title=citation.title,
            section=citation.section,
            revision=citation.revision,
            effective_from=citation.effective_from,
            quote=citation.quote,
        )
        for citation in attempt.citations
    )


def _feedback(feedback: Feedback | None) -> TicketFeedback | None:
    if feedback is None:
        return None
    return TicketFeedback(rating=feedback.rating, reason_code=feedback.reason_code, comment=feedback.comment)


def _turn(attempt: Attempt) -> TranscriptTurn:
    outcome = attempt.outcome
    answer = None if outcome is None else outcome.answer or outcome.refusal_reason
    return TranscriptTurn(question=attempt.question, answer=answer, asked_at=attempt.asked_at)
