"""What may go wrong: the server says no, or nothing usable comes back."""

from http import HTTPStatus
from typing import Final

import httpx
from pydantic import ValidationError

from youju_client.bodies import Problem

_PASSING: Final = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})
# The attempt has ended, and the same key gives the same end: only a retry, a wish of its own, may do better.
_ATTEMPT_FAILED: Final = frozenset({"KNOWLEDGE_UNAVAILABLE", "ABANDONED"})


class YoujuClientError(Exception):
    """Something went differently."""


class ConnectionLostError(YoujuClientError):
    """Nothing came back, also when it was tried again."""


class ProblemError(YoujuClientError):
    """The server answered, and the answer is no. Decide by `problem.code`, and by `problem.status` when it is unknown."""

    def __init__(self, problem: Problem, *, retry_after_seconds: float | None) -> None:
        """Keep the problem document and how long the server asks to wait."""
        super().__init__(problem.detail or problem.code)
        self.problem = problem
        self.retry_after_seconds = retry_after_seconds

    @property
    def is_passing(self) -> bool:
        """Say whether the same request with the same key may succeed a little later."""
        return self.problem.status in _PASSING and self.problem.code not in _ATTEMPT_FAILED


def problem_of(response: httpx.Response) -> ProblemError:
    """Read an answer that is not 2xx, whatever its body holds."""
    try:
        problem = Problem.model_validate_json(response.read())
    except ValidationError:
        problem = Problem(status=response.status_code, code=f"HTTP_{response.status_code}")
    return ProblemError(problem, retry_after_seconds=_seconds(response.headers.get("Retry-After")))


def _seconds(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None
