"""Name the faults an attempt can end with: the code is public, the sentence is what a person may read."""

from typing import ClassVar

from bff.attempts.attempt import Failed
from contracts.errors import YoujuError
from contracts.reasons import RETRYABLE_FAILURES, FailureCode


class AttemptFailedError(YoujuError):
    """The attempt failed."""

    failure_code: ClassVar[FailureCode] = FailureCode.INTERNAL


class KnowledgeUnavailableError(AttemptFailedError):
    """Answers are not available right now; try again shortly."""

    code = FailureCode.KNOWLEDGE_UNAVAILABLE.value
    failure_code = FailureCode.KNOWLEDGE_UNAVAILABLE


class KnowledgeTimeoutError(AttemptFailedError):
    """The answer took too long; try again."""

    code = FailureCode.KNOWLEDGE_TIMEOUT.value
    failure_code = FailureCode.KNOWLEDGE_TIMEOUT


class KnowledgeFaultError(AttemptFailedError):
    """The answer could not be made; try again."""

    code = FailureCode.KNOWLEDGE_ERROR.value
    failure_code = FailureCode.KNOWLEDGE_ERROR


class ValidationFailedError(AttemptFailedError):
    """The answer did not stand up to our checks, so it is not shown."""

    code = FailureCode.VALIDATION_FAILED.value
    failure_code = FailureCode.VALIDATION_FAILED


class EmptyStreamError(AttemptFailedError):
    """No answer came; try again."""

    code = FailureCode.EMPTY_STREAM.value
    failure_code = FailureCode.EMPTY_STREAM


class AbandonedError(AttemptFailedError):
    """The answer was interrupted; try again."""

    code = FailureCode.ABANDONED.value
    failure_code = FailureCode.ABANDONED


class CancelledAttemptError(AttemptFailedError):
    """The question was cancelled."""

    code = FailureCode.CANCELLED.value
    failure_code = FailureCode.CANCELLED


class InternalFaultError(AttemptFailedError):
    """Something went wrong on our side; try again."""

    code = FailureCode.INTERNAL.value
    failure_code = FailureCode.INTERNAL


_BY_CODE = {
    kind.failure_code: kind
    for kind in (
        KnowledgeUnavailableError,
        KnowledgeTimeoutError,
        KnowledgeFaultError,
        ValidationFailedError,
        EmptyStreamError,
        AbandonedError,
        CancelledAttemptError,
        InternalFaultError,
    )
}


def failure_of(code: FailureCode) -> AttemptFailedError:
    """Make the error of a failure code."""
    return _BY_CODE[code]()


def failed(error: AttemptFailedError) -> Failed:
    """Turn an error into how the attempt ends."""
    code = error.failure_code
    return Failed(code=code, message=error.detail, retryable=code in RETRYABLE_FAILURES)
