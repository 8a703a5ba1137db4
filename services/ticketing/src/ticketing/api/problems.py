"""Document the problems that calls may answer with."""

from typing import Any, Final

from contracts.customer import Problem

_MEANING: Final = {
    400: "The request is not valid; `detail` names the field (INVALID_REQUEST)",
    401: "No token or signature, or one that is not valid (UNAUTHENTICATED)",
    403: "This needs the role `support` or `operator` (FORBIDDEN)",
    404: "There is nothing here, or nothing of yours (NOT_FOUND)",
    409: "The state does not allow that (CONFLICT)",
    413: "The request body is too large (TOO_LARGE)",
    500: "Something went wrong on our side (INTERNAL)",
    503: "Try again shortly: UNAVAILABLE or TRY_AGAIN",
}
_ALWAYS: Final = (400, 401, 413, 500, 503)

Responses = dict[int | str, dict[str, Any]]  # FastAPI's own type for documented responses


def problems(*statuses: int) -> Responses:
    """Document the problems of a call, with those that every call may answer."""
    return {status: {"model": Problem, "description": _MEANING[status]} for status in sorted({*statuses, *_ALWAYS})}
