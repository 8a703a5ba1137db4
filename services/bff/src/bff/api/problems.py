"""Document problems, and give our own codes their status."""

from http import HTTPStatus
from typing import Any, Final

from contracts.customer import Problem

STATUSES: Final = {
    "ATTEMPT_PENDING": 409,
    "ATTEMPT_NOT_COMPLETED": 409,
    "RETRY_LIMIT": 409,
    "IDEMPOTENCY_CONFLICT": 409,
    "CONVERSATION_WITH_PERSON": 409,
    "HEAD_TOO_LARGE": 431,
    "NOT_MIGRATED": 503,
}

_MEANING: Final = {
    400: "The request is not valid; `detail` names the field (INVALID_REQUEST)",
    401: "No token, or one that is not valid (UNAUTHENTICATED)",
    403: "This origin may not do that (FORBIDDEN)",
    404: "There is nothing here, or nothing of yours (NOT_FOUND)",
    409: (
        "The state does not allow that: ATTEMPT_PENDING, ATTEMPT_NOT_COMPLETED, RETRY_LIMIT, IDEMPOTENCY_CONFLICT, "
        "CONVERSATION_WITH_PERSON (with `ticketNumber`), CANCELLED"
    ),
    413: "The request body is too large (TOO_LARGE)",
    429: "Too many requests; wait as `Retry-After` says (RATE_LIMITED)",
    431: "The head of the request is too large (HEAD_TOO_LARGE)",
    500: "Something went wrong on our side (INTERNAL)",
    502: "The attempt failed: KNOWLEDGE_ERROR, VALIDATION_FAILED or EMPTY_STREAM",
    503: "Try again shortly: UNAVAILABLE, KNOWLEDGE_UNAVAILABLE or ABANDONED",
    504: "The attempt took too long (KNOWLEDGE_TIMEOUT)",
}
_ALWAYS: Final = (400, 413, 429, 431, 500, 503)

Responses = dict[int | str, dict[str, Any]]  # FastAPI's own type for documented responses


def problems(*statuses: int) -> Responses:
    """Document the problems of a call, with those that every call may answer; a token may come from a foreign page."""
    foreign = {403} if HTTPStatus.UNAUTHORIZED in statuses else set[int]()
    every = sorted({*statuses, *foreign, *_ALWAYS})
    return {status: {"model": Problem, "description": _MEANING[status]} for status in every}
