"""Failures of attempts as errors: each with its code and a sentence a person may see."""

from typing import Final

from contracts.errors import YoujuError
from contracts.reasons import FailureCode


class KnowledgeUnavailableError(YoujuError):
    """The policies cannot be read right now; try again shortly."""

    code = FailureCode.KNOWLEDGE_UNAVAILABLE


class KnowledgeTimeoutError(YoujuError):
    """The answer took too long; try again."""

    code = FailureCode.KNOWLEDGE_TIMEOUT


class KnowledgeFaultError(YoujuError):
    """The answer could not be made; try again."""

    code = FailureCode.KNOWLEDGE_ERROR


class ValidationFailedError(YoujuError):
    """The answer could not be checked and was taken back; try again."""

    code = FailureCode.VALIDATION_FAILED


class AbandonedError(YoujuError):
    """The answer was not finished; try again."""

    code = FailureCode.ABANDONED


class BrokenError(YoujuError):
    """Something went wrong on our side; try again."""

    code = FailureCode.INTERNAL


_KINDS: Final[tuple[type[YoujuError], ...]] = (
    KnowledgeUnavailableError,
    KnowledgeTimeoutError,
    KnowledgeFaultError,
    ValidationFailedError,
    AbandonedError,
    BrokenError,
)
_ERRORS: Final = {FailureCode(kind.code): kind for kind in _KINDS}


def failure_error(code: FailureCode) -> YoujuError:
    """Give the error of a failure code."""
    return _ERRORS.get(code, BrokenError)()
