"""Name the faults an attempt can end with: the code is public, the sentence is what a person may read."""

from typing import ClassVar

from bff.attempts.attempt import Failed
from contracts.errors import YoujuError
from contracts.reasons import RETRYABLE_FAILURES, FailureCode, Language


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

_CHINESE = {
    FailureCode.KNOWLEDGE_UNAVAILABLE: "现在暂时无法回答，请稍后再试。",
    FailureCode.KNOWLEDGE_TIMEOUT: "这次回答用的时间太长了，请再试一次。",
    FailureCode.KNOWLEDGE_ERROR: "这次没能给出回答，请再试一次。",
    FailureCode.VALIDATION_FAILED: "这次的回答没有通过我们的核对，所以不显示。",
    FailureCode.EMPTY_STREAM: "没有收到回答，请再试一次。",
    FailureCode.ABANDONED: "这次回答被中断了，请再试一次。",
    FailureCode.CANCELLED: "这个问题已经取消。",
    FailureCode.INTERNAL: "我们这边出了问题，请再试一次。",
}


def failure_of(code: FailureCode) -> AttemptFailedError:
    """Make the error of a failure code."""
    return _BY_CODE[code]()


def failure_sentence(code: FailureCode, language: Language) -> str:
    """Give the sentence a customer may read, in the language of the question."""
    return _CHINESE[code] if language == "zh" else failure_of(code).detail


def failed(error: AttemptFailedError) -> Failed:
    """Turn an error into how the attempt ends."""
    code = error.failure_code
    return Failed(code=code, retryable=code in RETRYABLE_FAILURES)
