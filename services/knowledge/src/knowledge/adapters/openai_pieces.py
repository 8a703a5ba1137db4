"""What passes between the writer and a model's endpoint, whatever client speaks to it."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Literal, Protocol

from contracts.errors import TryAgainError
from knowledge.answering.prompting import Prompt

Trouble = Literal["silent", "slow", "unreachable", "busy", "failing", "refused", "garbled"]


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a call is billed by."""

    input: int
    output: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A piece of a reply. The last ones have no text, but the finish reason and the tokens."""

    text: str
    is_thinking: bool
    is_tool_call: bool
    finish_reason: str | None
    tokens: Tokens | None


class EndpointTroubleError(TryAgainError):
    """The endpoint of a model did not answer as it should."""

    code = "ENDPOINT_TROUBLE"

    def __init__(self, what: Trouble, *, retry_after_seconds: float | None = None) -> None:
        """Name the trouble, and how long the endpoint asks to be left alone."""
        super().__init__()
        self.what: Trouble = what
        self.retry_after_seconds = retry_after_seconds


class Endpoint(Protocol):
    """A model that can be asked."""

    @property
    def model(self) -> str:
        """Give its name."""
        ...

    def pieces(self, prompt: Prompt) -> AsyncGenerator[Piece]:
        """Give the reply piece by piece. Errors: EndpointTroubleError."""
        ...

    async def close(self) -> None:
        """Give the connections back."""
        ...
