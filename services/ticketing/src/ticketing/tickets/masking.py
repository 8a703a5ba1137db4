"""Take personal data out of what a customer wrote before it leaves for a helpdesk."""

from collections.abc import Callable

from contracts.messages import CreateTicket, TicketFeedback, TranscriptTurn

Mask = Callable[[str], str]
"""Gives a text without what must not leave."""


def masked(order: CreateTicket, mask: Mask) -> CreateTicket:
    """Mask every text of the customer. Answers and quotes come from policies, the contact from what the tenant allows."""
    return order.model_copy(
        update={
            "question": mask(order.question),
            "note": mask(order.note) if order.note else order.note,
            "feedback": _feedback(order.feedback, mask),
            "transcript": tuple(_turn(turn, mask) for turn in order.transcript),
        }
    )


def _feedback(feedback: TicketFeedback | None, mask: Mask) -> TicketFeedback | None:
    if feedback is None or feedback.comment is None:
        return feedback
    return feedback.model_copy(update={"comment": mask(feedback.comment)})


def _turn(turn: TranscriptTurn, mask: Mask) -> TranscriptTurn:
    return turn.model_copy(update={"question": mask(turn.question)})
