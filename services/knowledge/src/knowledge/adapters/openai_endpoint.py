"""One model behind an OpenAI-compatible endpoint: sends a prompt and gives the reply piece by piece.

Only `openai_writers` imports this module, and only where an endpoint is named: the client costs more than a second of a
process's start.
"""

import re
import ssl
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

import httpx
import openai
from openai.types.chat import ChatCompletionChunk
from pydantic import BaseModel, ValidationError

from knowledge.adapters.openai_pieces import EndpointTroubleError, Piece, Tokens, Trouble
from knowledge.answering.prompting import Prompt
from runtime.clock import utc_now
from runtime.http import CONNECT_SECONDS
from runtime.retry_after import read_retry_after

_NO_KEY: Final = "none"
# No model reads or writes as much for one answer; a higher count is a mistake, and the answer log could not hold it.
_MOST_TOKENS: Final = 10_000_000
# Why a reply ended is one short word. The answer log holds whatever it is, and Postgres not every character.
_NO_WORD: Final = re.compile(r"[^\w-]")
_LONGEST_WORD: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPlace:
    """Where a model is, and how it is asked."""

    base_url: str
    model: str
    api_key: str | None
    output_tokens: int
    output_tokens_field: Literal["max_tokens", "max_completion_tokens"]
    temperature: float | None
    seconds: float


class OpenAiEndpoint:
    """Fulfils `Endpoint`. Close it when the process stops."""

    def __init__(self, place: ModelPlace) -> None:
        """Prepare a client; nothing connects yet.

        Retries are the writer's; proxies of the environment and redirects would take a question to whom nobody named.
        """
        self._place = place
        self.model = place.model
        self._client = openai.AsyncOpenAI(
            base_url=place.base_url,
            api_key=place.api_key or _NO_KEY,
            max_retries=0,
            timeout=openai.Timeout(place.seconds, connect=CONNECT_SECONDS),
            http_client=openai.DefaultAsyncHttpxClient(verify=_trust(), trust_env=False, follow_redirects=False),
        )

    async def pieces(self, prompt: Prompt) -> AsyncGenerator[Piece]:
        """Give the pieces as they arrive. Errors: EndpointTroubleError."""
        try:
            async with await self._ask(prompt) as stream:
                async for chunk in stream:
                    yield _piece(chunk)
        except openai.APIStatusError as refused:
            raise _status_trouble(refused) from refused
        except openai.APITimeoutError as slow:
            raise EndpointTroubleError("silent") from slow
        except openai.APIConnectionError as lost:
            raise EndpointTroubleError("unreachable") from lost
        except openai.OpenAIError as failing:
            raise EndpointTroubleError("failing") from failing
        # What is no event stream, no UTF-8 or no chunk, or nested too deep to be read; the client lets the errors of its
        # decoders through.
        except (ValueError, TypeError, AttributeError, RecursionError, ValidationError) as garbled:
            raise EndpointTroubleError("garbled") from garbled

    async def close(self) -> None:
        """Give the connections back."""
        await self._client.close()

    async def _ask(self, prompt: Prompt) -> openai.AsyncStream[ChatCompletionChunk]:
        wishes: dict[str, Any] = {self._place.output_tokens_field: self._place.output_tokens}  # numbers of two types
        if self._place.temperature is not None:
            wishes["temperature"] = self._place.temperature
        return await self._client.chat.completions.create(
            model=self._place.model,
            messages=[
                {"role": "system", "content": prompt.instructions},
                {"role": "user", "content": prompt.document},
            ],
            stream=True,
            stream_options={"include_usage": True},
            extra_body=wishes,
        )


class _Delta(BaseModel):
    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: list[object] | None = None
    function_call: object | None = None


class _Choice(BaseModel):
    delta: _Delta | None = None
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int
    completion_tokens: int


class _Chunk(BaseModel):
    choices: list[_Choice] | None = None
    usage: _Usage | None = None


def _piece(chunk: ChatCompletionChunk) -> Piece:
    """Read a chunk again: the client's types promise more than it checks."""
    read = _Chunk.model_validate(chunk.model_dump(warnings=False))
    choice = read.choices[0] if read.choices else _Choice()
    delta, usage = choice.delta or _Delta(), read.usage
    return Piece(
        text=delta.content or "",
        is_thinking=bool(delta.reasoning_content or delta.reasoning),
        is_tool_call=bool(delta.tool_calls or delta.function_call),
        finish_reason=_NO_WORD.sub("?", choice.finish_reason[:_LONGEST_WORD]) if choice.finish_reason else None,
        tokens=_tokens(usage) if usage else None,
    )


def _tokens(usage: _Usage) -> Tokens | None:
    """Give the count of an endpoint; None where it cannot be one."""
    if max(usage.prompt_tokens, usage.completion_tokens) > _MOST_TOKENS:
        return None
    return Tokens(max(usage.prompt_tokens, 0), max(usage.completion_tokens, 0))


def _status_trouble(refused: openai.APIStatusError) -> EndpointTroubleError:
    what: Trouble = "failing" if refused.status_code >= 500 else "refused"  # noqa: PLR2004 - HTTP's server errors
    if isinstance(refused, openai.RateLimitError):
        what = "busy"
    # One that is overloaded may name a time whatever its status is.
    wanted = read_retry_after(refused.response.headers.get("retry-after"), now=utc_now())
    return EndpointTroubleError(what, retry_after_seconds=None if wanted is None else wanted.total_seconds())


@cache
def _trust() -> ssl.SSLContext:
    # Loading the certificates takes longer than all else of a client; they are the same for every endpoint.
    return httpx.create_ssl_context(trust_env=False)
