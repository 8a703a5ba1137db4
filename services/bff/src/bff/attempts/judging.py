"""Judge an attempt: only an answer or refusal that was given can be judged."""

from bff.attempts.attempt import Attempt
from contracts.errors import ConflictError


class NotCompletedError(ConflictError):
    """This attempt has no answer, so there is nothing to judge or hand over."""

    code = "ATTEMPT_NOT_COMPLETED"


def check_completed(attempt: Attempt) -> None:
    """Refuse anything that needs an answer while there is none. Errors: NotCompletedError."""
    if attempt.status != "COMPLETED":
        raise NotCompletedError
