"""Show an attempt as a customer may see it: an allow-list, never a model field, never a partial text."""

from typing import Final

from bff.attempts.attempt import Attempt
from bff.attempts.suggesting import next_questions
from contracts import customer
from contracts.answers import Outcome, Suggestion
from contracts.ids import printed
from contracts.reasons import RETRYABLE_FAILURES

_NOTHING_YET: Final = Outcome(
    answer="",
    parts=(),
    coverage="none",
    refused=False,
    refusal_reason=None,
    reason_code=None,
    missing_facts=(),
    handoff="none",
    suggestions=(),
)


def attempt_view(attempt: Attempt, feedback: customer.Feedback | None) -> customer.Attempt:
    """Show an attempt. A PENDING or FAILED one has no answer, no parts and no citations; a second equal failure a way on."""
    outcome = attempt.outcome or _NOTHING_YET
    retried = attempt.retry_of_attempt_id
    return customer.Attempt(
        attempt_id=printed("att", attempt.attempt_id),
        conversation_id=printed("cnv", attempt.conversation_id),
        retry_of_attempt_id=None if retried is None else printed("att", retried),
        status=attempt.status,
        question=attempt.question,
        answer=None if attempt.outcome is None else outcome.answer,
        parts=outcome.parts,
        coverage=None if attempt.outcome is None else outcome.coverage,
        citations=attempt.citations,
        refused=outcome.refused,
        reason_code=outcome.reason_code,
        refusal_reason=outcome.refusal_reason,
        missing_facts=outcome.missing_facts,
        handoff=attempt.handoff,
        suggestions=_suggestions(attempt, outcome),
        failure_code=attempt.failure_code,
        retryable=attempt.failure_code in RETRYABLE_FAILURES,
        knowledge_version=attempt.knowledge_version,
        as_of=attempt.as_of,
        language=attempt.language,
        trace_id=attempt.trace_id,
        feedback=feedback,
        created_at=attempt.created_at,
        completed_at=attempt.completed_at,
    )


def _suggestions(attempt: Attempt, outcome: Outcome) -> tuple[Suggestion, ...]:
    # Only a failure that came twice raises the handoff of a failed attempt.
    is_second_failure = attempt.status == "FAILED" and attempt.handoff != "none"
    return next_questions(attempt.question, attempt.language) if is_second_failure else outcome.suggestions
