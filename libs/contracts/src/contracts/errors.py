"""The error family: a stable code, a sentence a person may see, and the facts as fields."""

from typing import ClassVar


class YoujuError(Exception):
    """Something expected went differently."""

    code: ClassVar[str] = "INTERNAL"
    attempt_id: str | None = None
    ticket_number: str | None = None

    def __init__(self, detail: str | None = None) -> None:
        """Use the class docstring as the sentence unless a more exact one is given."""
        self.detail = detail if detail is not None else (type(self).__doc__ or "").strip().split("\n")[0]
        super().__init__(self.detail)


class InvalidRequestError(YoujuError):
    """The request is not valid."""

    code = "INVALID_REQUEST"


class UnauthenticatedError(YoujuError):
    """A valid token is needed."""

    code = "UNAUTHENTICATED"


class ForbiddenError(YoujuError):
    """This identity may not do that."""

    code = "FORBIDDEN"


class NotFoundError(YoujuError):
    """There is nothing here, or nothing of yours."""

    code = "NOT_FOUND"


class ConflictError(YoujuError):
    """The present state does not allow that."""

    code = "CONFLICT"


class LimitedError(YoujuError):
    """Too many requests; try again shortly."""

    code = "RATE_LIMITED"

    def __init__(self, detail: str | None = None, *, retry_after_seconds: int = 1) -> None:
        """Remember how long the caller should wait."""
        super().__init__(detail)
        self.retry_after_seconds = retry_after_seconds


class UnavailableError(YoujuError):
    """A part we need is not available; try again shortly."""

    code = "UNAVAILABLE"


class TryAgainError(YoujuError):
    """An outside system did not answer in a way we can rely on; trying again may help."""

    code = "TRY_AGAIN"


class GiveUpError(YoujuError):
    """An outside system refused in a way that trying again cannot heal."""

    code = "GIVE_UP"
