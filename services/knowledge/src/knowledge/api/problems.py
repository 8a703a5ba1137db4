"""Document the problems that calls may answer with."""

from typing import Any, Final

from contracts.customer import Problem

_MEANING: Final = {
    400: "The request is not valid; `detail` names the field (INVALID_REQUEST, or a code of what was checked)",
    401: "No token, or none that is valid for this call (UNAUTHENTICATED)",
    403: "The token lacks the role that this needs; `detail` names it (FORBIDDEN)",
    404: "There is nothing here, or nothing of this tenant (NOT_FOUND, NO_PUBLISHED_VERSION)",
    409: "The state does not allow that; `code` says which state: CONFLICT, VERSION_STATE, IMPORT_STARTED, HELD_BY_ANOTHER, …",
    413: "The request body, or what it adds to, is too large (TOO_LARGE, IMPORT_TOO_LARGE)",
    500: "Something went wrong on our side (INTERNAL)",
    502: "The attempt failed: KNOWLEDGE_ERROR, VALIDATION_FAILED",
    503: "Try again shortly: UNAVAILABLE, KNOWLEDGE_UNAVAILABLE or ABANDONED",
    504: "The attempt took too long (KNOWLEDGE_TIMEOUT)",
}

Responses = dict[int | str, dict[str, Any]]  # FastAPI's own type for documented responses


def problems(*statuses: int) -> Responses:
    """Document the problems of a call."""
    return {status: {"model": Problem, "description": _MEANING[status]} for status in statuses}


PROBLEMS: Final = problems(400, 401, 403, 404, 409, 413, 500, 503)
"""What every route may answer with."""
