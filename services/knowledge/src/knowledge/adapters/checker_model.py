"""The second model: asked to judge an answer, behind a breaker of its own."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from time import monotonic
from typing import Final

from knowledge.adapters import model_measures
from knowledge.adapters.breaker import Breaker, BreakerOpenError
from knowledge.adapters.heard import Heard
from knowledge.adapters.openai_pieces import Endpoint, EndpointTroubleError
from knowledge.answering.draft import Usage
from knowledge.answering.prompting import Prompt
from knowledge.settings import KnowledgeSettings, ModelPrice
from runtime.logging import get_logger

_RANK: Final = "checker"
# A reply that goes on past this is garbled whatever comes: so many characters no list of judgements has.
_MOST_CHARACTERS: Final = 50_000
# Who has read the prompt bills it, also when its reply came too late.
_BILLED: Final = ("silent", "slow")

_log = get_logger("checker")


class CheckerTroubleError(Exception):
    """The second model gave no whole reply. `usage` is what was spent all the same."""

    def __init__(self, what: str, usage: Usage | None) -> None:
        """Name the trouble by a stable word."""
        super().__init__(what)
        self.what = what
        self.usage = usage


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckerModel:
    """Asks the second model. One object serves all threads of a process; each call opens a client of its own."""

    model: str
    open_endpoint: Callable[[], Endpoint]
    breaker: Breaker
    price: ModelPrice | None
    seconds: float
    output_tokens: int

    def ask(self, prompt: Prompt) -> tuple[str, Usage]:
        """Give the reply and its price. Errors: CheckerTroubleError."""
        return asyncio.run(self._ask(prompt))

    async def _ask(self, prompt: Prompt) -> tuple[str, Usage]:
        heard = Heard()
        with model_measures.model_span(self.model, output_tokens=self.output_tokens) as span:
            try:
                with self.breaker.guarded():
                    await self._listen(prompt, heard)
            except (EndpointTroubleError, BreakerOpenError) as trouble:
                what = trouble.what if isinstance(trouble, EndpointTroubleError) else "breaker_open"
                usage = self._usage(prompt, heard) if heard.text or what in _BILLED else None
                model_measures.note_trouble(span, what)
                model_measures.count_call(_RANK, what, usage)
                raise CheckerTroubleError(what, usage) from trouble
            usage = self._usage(prompt, heard)
            model_measures.note_reply(span, usage)
        model_measures.count_call(_RANK, "replied", usage)
        return heard.text, usage

    async def _listen(self, prompt: Prompt, heard: Heard) -> None:
        endpoint = self.open_endpoint()
        try:
            async with asyncio.timeout(self.seconds), aclosing(endpoint.pieces(prompt)) as pieces:
                async for piece in pieces:
                    heard.take(piece)
                    if len(heard.text) > _MOST_CHARACTERS:
                        return
        except TimeoutError as late:
            raise EndpointTroubleError("slow" if heard.text else "silent") from late
        finally:
            await endpoint.close()

    def _usage(self, prompt: Prompt, heard: Heard) -> Usage:
        return heard.usage(self.model, prompt, self.price)


def open_checker(settings: KnowledgeSettings) -> CheckerModel | None:
    """Open the second model that the settings name; None where they name none."""
    base_url = settings.checker_base_url
    if base_url is None:
        return None
    # Loaded only where a model is named: the client costs more than a second of every process's start.
    from knowledge.adapters.openai_endpoint import ModelPlace, OpenAiEndpoint  # noqa: PLC0415

    place = ModelPlace(
        base_url=base_url,
        model=settings.checker_model,
        api_key=settings.checker_api_key.get_secret_value() if settings.checker_api_key else None,
        output_tokens=settings.checker_output_tokens,
        output_tokens_field=settings.model_output_tokens_field,
        temperature=settings.model_temperature,
        seconds=settings.checker_seconds,
    )
    return CheckerModel(
        model=settings.checker_model,
        open_endpoint=lambda: OpenAiEndpoint(place),
        breaker=Breaker(seconds=monotonic, show_open=_show_breaker),
        price=settings.model_prices.get(settings.checker_model),
        seconds=settings.checker_seconds,
        output_tokens=settings.checker_output_tokens,
    )


def _show_breaker(is_open: bool) -> None:  # noqa: FBT001 - a callback with one argument
    model_measures.show_breaker(_RANK, is_open=is_open)
    _log.warning("breaker_changed", model=_RANK, is_open=is_open)
