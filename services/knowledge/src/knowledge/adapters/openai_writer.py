"""The writer behind OpenAI-compatible endpoints: asks a model, listens only as long as it may help, and counts the cost.

Trouble before the reply is whole is answered with one further call: of the other model where there is one. A reply that
arrives and is wrong is a draft like any other, and the ladder's affair.
"""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Final

from opentelemetry.trace import Span

from knowledge.adapters import model_measures
from knowledge.adapters.breaker import Breaker, BreakerOpenError
from knowledge.adapters.model_measures import Rank
from knowledge.adapters.openai_pieces import Endpoint, EndpointTroubleError, Piece, Tokens
from knowledge.adapters.prices import cost_of, estimated_tokens
from knowledge.answering.draft import Brief, Hear, Missed, Usage, WriterTroubleError, Written, together
from knowledge.answering.model_head import Head
from knowledge.answering.model_listening import Listening
from knowledge.answering.model_reply import head_only
from knowledge.answering.prompting import PROMPT_VERSION, Prompt, make_prompt
from knowledge.settings import ModelPrice
from knowledge.validation.citations import check_citations

WRITER: Final = "openai"
# Ends before the ladder's own patience does, so that what was spent is known and kept.
_MARGIN_SECONDS: Final = 0.05
_LEFT_ALONE: Final = "breaker_open"
# Behind the end of a reply only its count of tokens comes, and nobody waits long for that.
_COUNT_SECONDS: Final = 1.0
# Of the time for a draft, what a model leaves to the other one. A reply that is whole in a third of it is not rare, and
# one that is not in two thirds seldom comes.
_KEPT_FOR_THE_OTHER: Final = 1 / 3
# The same endpoint again at once may help here; a slow or busy one only becomes slower.
_WORTH_REPEATING: Final = ("unreachable", "failing", "garbled")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Route:
    """A model with its breaker."""

    rank: Rank
    endpoint: Endpoint
    breaker: Breaker
    price: ModelPrice | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long a model may take: until it begins, and for one draft with everything tried for it."""

    first_byte_seconds: float
    whole_seconds: float
    output_tokens: int


class OpenAiWriter:
    """Fulfils `Writer` with one or two models."""

    name = WRITER

    def __init__(self, routes: tuple[Route, ...], *, patience: Patience) -> None:
        """Ask the first route before the second; a single one is asked twice where that may help."""
        self._routes = routes if len(routes) > 1 else routes * 2
        self._patience = patience

    async def write(self, brief: Brief) -> Written:
        """Ask for a draft. Errors: WriterTroubleError when no model gave a whole reply."""
        return await self._write(brief, None)

    async def write_live(self, brief: Brief, *, hear: Hear) -> Written:
        """Ask for a draft that is heard while it arrives. Errors: as `write`, and those of `hear`."""
        return await self._write(brief, hear)

    async def _write(self, brief: Brief, hear: Hear | None) -> Written:
        prompt = make_prompt(brief)
        clock = asyncio.get_running_loop().time
        ends_at = clock() + self._seconds(brief)
        spent: list[Usage] = []
        missed: list[Missed] = []
        met: WriterTroubleError | None = None
        for place, route in enumerate(self._routes):
            if clock() >= ends_at or (met and not _may_help(met.what, self._routes[place - 1], route)):
                break
            call = _Call(route, prompt, brief, hear)
            kept = _KEPT_FOR_THE_OTHER * (ends_at - clock()) if self._has_other_behind(place) else 0.0
            try:
                written = await call.write(self._patience, _Until(ends_at - kept, ends_at))
            except asyncio.CancelledError:
                brief.cut_off(together([*spent, call.cut_off()]))
                raise
            except WriterTroubleError as trouble:
                # That an endpoint is left alone tells less than what was met just before.
                met = met if met and trouble.what == _LEFT_ALONE else trouble
                spent.extend([trouble.usage] if trouble.usage else [])
                missed.append(Missed(model=route.endpoint.model, trouble=trouble.what, usage=trouble.usage))
                if call.was_heard:
                    # Some of it may be shown already: another model's words could only contradict it.
                    break
            else:
                return replace(written, usage=together([*spent, written.usage]), missed=tuple(missed))
        met = met or WriterTroubleError("no_time")
        usage = together(spent) if spent else None
        raise WriterTroubleError(met.what, raw=met.raw, usage=usage, missed=tuple(missed)) from met

    async def close(self) -> None:
        """Give the connections back."""
        for route in dict.fromkeys(self._routes):
            await route.endpoint.close()

    def _has_other_behind(self, place: int) -> bool:
        """Tell whether another model than this one would be asked next."""
        behind = self._routes[place + 1 : place + 2]
        return any(route is not self._routes[place] and not route.breaker.is_open for route in behind)

    def _seconds(self, brief: Brief) -> float:
        whole = self._patience.whole_seconds
        return whole if brief.seconds_left is None else min(whole, brief.seconds_left - _MARGIN_SECONDS)


@dataclass(frozen=True, slots=True)
class _Until:
    """When a call ends: before its time where another model can still be asked, which none can once some of it was heard."""

    leaves_at: float
    ends_at: float


class _Call:
    """One call of one model, with what has arrived of its reply."""

    def __init__(self, route: Route, prompt: Prompt, brief: Brief, hear: Hear | None) -> None:
        self._hear = hear
        self._route = route
        self._prompt = prompt
        self._brief = brief
        self._heard = Listening(brief, accepts=self._accepts)
        self._has_begun = self._is_measured = self.was_heard = False
        self._finish_reason: str | None = None
        self._tokens: Tokens | None = None

    async def write(self, patience: Patience, until: _Until) -> Written:
        """Give the draft. Errors: WriterTroubleError."""
        model = self._route.endpoint.model
        with model_measures.model_span(model, output_tokens=patience.output_tokens) as span:
            try:
                with self._route.breaker.guarded():
                    await self._listen(patience, until)
            except EndpointTroubleError as trouble:
                raise self._failed(span, trouble.what) from trouble
            except BreakerOpenError as resting:
                raise self._failed(span, _LEFT_ALONE) from resting
            usage = self._usage()
            model_measures.note_reply(span, usage)
        model_measures.count_call(self._route.rank, "replied", usage)
        return Written(draft=self._heard.draft(finish_reason=self._finish_reason), usage=usage)

    def cut_off(self) -> Usage:
        """Count a call that was ended from outside: who was asked has read the prompt, and bills it."""
        usage = self._usage()
        model_measures.count_call(self._route.rank, "cancelled", usage)
        return usage

    async def _listen(self, patience: Patience, until: _Until) -> None:
        """Take pieces until the reply ends or is hopeless. Trouble after its end changes nothing any more."""
        now = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout_at(min(now + patience.first_byte_seconds, until.leaves_at)) as waiting:
                async with aclosing(self._route.endpoint.pieces(self._prompt)) as pieces:
                    async for piece in pieces:
                        self._take(piece)
                        if self._heard.is_hopeless:
                            return
                        await self._let_hear()
                        self._wait_on(waiting, asked_at=now, until=until)
        except TimeoutError as late:
            if self._finish_reason is None:
                raise EndpointTroubleError("slow" if self._has_begun else "silent") from late
        except EndpointTroubleError:
            if self._finish_reason is None:
                raise

    def _wait_on(self, waiting: asyncio.Timeout, *, asked_at: float, until: _Until) -> None:
        """Wait for the end once the reply has begun, and behind its end only a moment."""
        if not self._has_begun:
            return
        now = asyncio.get_running_loop().time()
        if not self._is_measured:
            self._is_measured = True
            model_measures.measure_first_byte(self._route.rank, now - asked_at)
        ends_at = until.ends_at if self.was_heard else until.leaves_at
        waiting.reschedule(ends_at if self._finish_reason is None else min(ends_at, now + _COUNT_SECONDS))

    async def _let_hear(self) -> None:
        beginning = self._heard.beginning() if self._hear is not None else None
        if self._hear is not None and beginning is not None:
            self.was_heard = True
            await self._hear(beginning)

    def _take(self, piece: Piece) -> None:
        self._has_begun = self._has_begun or bool(piece.text) or piece.is_thinking or piece.is_tool_call
        self._finish_reason = piece.finish_reason or self._finish_reason
        self._tokens = piece.tokens or self._tokens
        if piece.is_tool_call:
            self._heard.hear_tool_call()
        elif piece.text:
            self._heard.hear(piece.text)

    def _accepts(self, head: Head) -> bool:
        draft = head_only(self._heard.text, head)
        return not check_citations(draft, brief=self._brief, bounds=self._brief.bounds).faults

    def _failed(self, span: Span, what: str) -> WriterTroubleError:
        # Who stays silent has read the prompt, and bills it.
        usage = self._usage() if self._has_begun or what == "silent" else None
        model_measures.note_trouble(span, what)
        model_measures.count_call(self._route.rank, what, usage)
        return WriterTroubleError(what, raw=self._heard.text, usage=usage)

    def _usage(self) -> Usage:
        tokens = self._tokens or Tokens(
            estimated_tokens(self._prompt.instructions + self._prompt.document), estimated_tokens(self._heard.text)
        )
        return Usage(
            model=self._route.endpoint.model,
            input_tokens=tokens.input,
            output_tokens=tokens.output,
            finish_reason=self._finish_reason,
            prompt_version=PROMPT_VERSION,
            cost=cost_of(tokens, self._route.price),
        )


def _may_help(trouble: str, before: Route, route: Route) -> bool:
    return route is not before or trouble in _WORTH_REPEATING
