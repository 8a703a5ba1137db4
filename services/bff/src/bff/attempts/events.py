"""Write the events of an attempt in our own name: knowledge's session and metadata never reach a customer."""

from bff.attempts.attempt import Attempt, Completed, Failed
from bff.attempts.failures import failure_sentence
from contracts.ids import printed
from contracts.stream import AttemptEvent, CitationEvent, CompletedEvent, ErrorEvent, MetadataEvent, SessionEvent


def opening_events(attempt: Attempt) -> tuple[AttemptEvent, ...]:
    """Give the two events that are sent at once. The version is null: knowledge has not said it yet."""
    retried = attempt.retry_of_attempt_id
    session = SessionEvent(
        conversation_id=printed("cnv", attempt.conversation_id),
        attempt_id=printed("att", attempt.attempt_id),
        retry_of_attempt_id=None if retried is None else printed("att", retried),
    )
    metadata = MetadataEvent(
        trace_id=attempt.trace_id, knowledge_version=None, as_of=attempt.as_of, language=attempt.language
    )
    return session, metadata


def closing_events(attempt: Attempt, result: Completed | Failed) -> tuple[AttemptEvent, ...]:
    """Give what ends an attempt: its citations and `completed`, or `error` alone."""
    if isinstance(result, Failed):
        error = ErrorEvent(
            code=result.code,
            message=failure_sentence(result.code, attempt.language),
            retryable=result.retryable,
            trace_id=attempt.trace_id,
        )
        return (error,)
    citations = (CitationEvent.model_validate(citation.model_dump()) for citation in result.citations)
    return (*citations, CompletedEvent.model_validate(result.outcome.model_dump()))
