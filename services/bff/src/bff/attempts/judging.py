"""Judge an attempt: only an answer or refusal that was given can be judged."""

from datetime import datetime

from bff.attempts.attempt import Attempt
from contracts.customer import Feedback
from contracts.errors import ConflictError
from contracts.ids import printed
from contracts.messages import AttemptJudged


class NotCompletedError(ConflictError):
    """This attempt has no answer, so there is nothing to judge or hand over."""

    code = "ATTEMPT_NOT_COMPLETED"


def check_completed(attempt: Attempt) -> None:
    """Refuse anything that needs an answer while there is none. Errors: NotCompletedError."""
    if attempt.status != "COMPLETED":
        raise NotCompletedError


def judgement_of(
    attempt: Attempt, feedback: Feedback, *, judged_at: datetime, corrected_at: datetime | None
) -> AttemptJudged:
    """Say what the people who look after the answers should know of a judgement."""
    return AttemptJudged(
        tenant=attempt.tenant,
        attempt_id=printed("att", attempt.attempt_id),
        conversation_id=printed("cnv", attempt.conversation_id),
        rating=feedback.rating,
        reason_code=feedback.reason_code,
        comment=feedback.comment,
        is_correction=corrected_at is not None,
        judged_at=corrected_at or judged_at,
    )
