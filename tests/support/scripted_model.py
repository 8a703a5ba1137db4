"""An OpenAI-compatible server that behaves as it is told: the name of the model asked for is the behaviour.

Tests serve it inside their loop; `python -m tests.support.scripted_model 8099` serves it for demonstrations, with
`YOUJU_KNOWLEDGE_MODEL_BASE_URL=http://127.0.0.1:8099/v1` and a behaviour as `YOUJU_KNOWLEDGE_MODEL_NAME`.
"""

import asyncio
import json
import socket
import sys
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from email.utils import format_datetime
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from runtime.clock import utc_now
from tests.support.scripted_checker import CHECKS, Checks
from tests.support.scripted_opinions import OPINIONS
from tests.support.scripted_replies import REPLIES, Order, at_length, honest, read_order

_PIECE: Final = 7
_USAGE: Final = {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960}
_START_SECONDS: Final = 60


class CutError(Exception):
    """Ends a stream without an end."""


@dataclass(frozen=True, slots=True)
class Received:
    """One request as it arrived."""

    headers: dict[str, str]
    body: dict[str, Any]  # JSON

    @property
    def order(self) -> Order:
        """Read what was asked for."""
        return read_order(self.body["messages"])


@dataclass
class ScriptedModel:
    """The server's memory: what it received, and the event that lets slow behaviours go on."""

    received: list[Received] = field(default_factory=list[Received])
    released: asyncio.Event = field(default_factory=asyncio.Event)
    was_asked: asyncio.Event = field(default_factory=asyncio.Event)

    def application(self) -> Starlette:
        """Give the server."""
        return Starlette(routes=[Route("/v1/chat/completions", self._complete, methods=["POST"])])

    def forget(self) -> None:
        """Let go whoever waits, and remember nothing."""
        self.released.set()
        self.released.clear()
        self.was_asked.clear()
        self.received.clear()

    async def _complete(self, request: Request) -> Response:
        received = Received(dict(request.headers), await request.json())
        self.received.append(received)
        self.was_asked.set()
        behaviour = received.body["model"]
        if (refusal := _refusal(behaviour)) is not None:
            return refusal
        if behaviour == "redirect":
            return RedirectResponse(str(request.url.replace(query="again")))
        if behaviour in ("slow first byte", "slow judge"):
            await self.released.wait()
        if checks := CHECKS.get(behaviour) or OPINIONS.get(behaviour):
            return StreamingResponse(self._check(checks, received), media_type="text/event-stream")
        stream = self._stream(behaviour, received.order)
        return StreamingResponse(stream, media_type="text/event-stream")

    async def _check(self, checks: Checks, received: Received) -> AsyncGenerator[bytes]:
        said = checks(json.loads(received.body["messages"][-1]["content"]))
        if said is None:
            await self.released.wait()
        for piece in _pieces(said or ""):
            yield _event(_choice({"content": piece}))
        for piece in _end("stop"):
            yield piece

    async def _stream(self, behaviour: str, order: Order) -> AsyncGenerator[bytes]:
        yield _event(_choice({"role": "assistant", "content": ""}))
        transport = _TRANSPORTS.get(behaviour)
        if transport is not None:
            async for piece in transport(self, order):
                yield piece
            return
        first = self.received[0].order
        for piece in _pieces(REPLIES[behaviour](order, first)):
            yield _event(_choice({"content": piece}))
        for piece in _end("stop"):
            yield piece


def _refusal(behaviour: str) -> Response | None:
    """Give the answer of an endpoint that takes no question, and may say when it will."""
    date = format_datetime(utc_now() + timedelta(seconds=90), usegmt=True)
    named = {
        "429 with Retry-After": (429, {"Retry-After": "7"}),
        "503 with Retry-After": (503, {"Retry-After": "7"}),
        "429 until a date": (429, {"Retry-After": date}),
        "500": (500, None),
    }
    if behaviour not in named:
        return None
    status, headers = named[behaviour]
    return JSONResponse({"error": {"message": "not now"}}, status, headers=headers)


async def _silent(model: ScriptedModel, _order: Order) -> AsyncGenerator[bytes]:
    await model.released.wait()
    yield b""


async def _slow_drip(model: ScriptedModel, order: Order) -> AsyncGenerator[bytes]:
    for piece in _pieces(honest(order, order)):
        yield _event(_choice({"content": piece}))
        if "\n" in piece:
            await model.released.wait()


async def _drips_its_head(model: ScriptedModel, _order: Order) -> AsyncGenerator[bytes]:
    for piece in ("{", " "):
        yield _event(_choice({"content": piece}))
    await model.released.wait()


async def _pauses(model: ScriptedModel, order: Order) -> AsyncGenerator[bytes]:
    lines = at_length(order, order).splitlines(keepends=True)
    for line in lines[:3]:
        yield _event(_choice({"content": line}))
    await model.released.wait()
    for line in lines[3:]:
        yield _event(_choice({"content": line}))
    for piece in _end("stop"):
        yield piece


async def _breaks_off_late(_model: ScriptedModel, order: Order) -> AsyncGenerator[bytes]:
    for line in at_length(order, order).splitlines(keepends=True)[:3]:
        yield _event(_choice({"content": line}))
    raise CutError


async def _hangs_after_its_end(model: ScriptedModel, order: Order) -> AsyncGenerator[bytes]:
    yield _event(_choice({"content": honest(order, order)}, "stop"))
    await model.released.wait()


async def _thinks_first(_model: ScriptedModel, order: Order) -> AsyncGenerator[bytes]:
    yield _event(_choice({"reasoning_content": "The customer wants to know…"}))
    yield _event(_choice({"content": honest(order, order)}))
    for piece in _end("stop"):
        yield piece


async def _counts_nothing(_model: ScriptedModel, order: Order) -> AsyncGenerator[bytes]:
    yield _event(_choice({"content": honest(order, order)}, "stop"))


async def _counts_beyond_reason(_model: ScriptedModel, order: Order) -> AsyncGenerator[bytes]:
    yield _event(_choice({"content": honest(order, order)}, "stop"))
    yield _event({"usage": {"prompt_tokens": 3_000_000_000, "completion_tokens": 10**20, "total_tokens": 0}})
    yield b"data: [DONE]\n\n"


async def _cut_mid_sentence(_model: ScriptedModel, order: Order) -> AsyncGenerator[bytes]:
    for piece in _pieces(honest(order, order).rpartition("[")[0][:-3]):
        yield _event(_choice({"content": piece}))
    yield b"data: [DONE]\n\n"


async def _ends_in_no_word(_model: ScriptedModel, order: Order) -> AsyncGenerator[bytes]:
    yield _event(_choice({"content": honest(order, order)}))
    last = json.dumps(_choice({}, "\0\ud800"))
    yield f"data: {last}\n\n".encode()
    yield b"data: [DONE]\n\n"


async def _cut_at_the_limit(_model: ScriptedModel, order: Order) -> AsyncGenerator[bytes]:
    for piece in _pieces(honest(order, order)):
        yield _event(_choice({"content": piece}))
    for piece in _end("length"):
        yield piece


async def _cut_mid_utf8(_model: ScriptedModel, order: Order) -> AsyncGenerator[bytes]:
    whole = _event(_choice({"content": honest(order, order)}))
    yield whole[: whole.rindex("。".encode()) + 1]
    raise CutError


async def _empty(_model: ScriptedModel, _order: Order) -> AsyncGenerator[bytes]:
    for piece in _end("stop"):
        yield piece


async def _tool_call(_model: ScriptedModel, _order: Order) -> AsyncGenerator[bytes]:
    call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "refund", "arguments": "{}"}}
    yield _event(_choice({"tool_calls": [call]}))
    for piece in _end("tool_calls"):
        yield piece


async def _garbled(_model: ScriptedModel, _order: Order) -> AsyncGenerator[bytes]:
    yield b"data: <html>gateway</html>\n\n"


async def _wrong_shape(_model: ScriptedModel, _order: Order) -> AsyncGenerator[bytes]:
    yield b'data: {"choices": "none", "usage": {"prompt_tokens": "many"}}\n\n'


async def _nested_without_end(_model: ScriptedModel, _order: Order) -> AsyncGenerator[bytes]:
    yield b'data: {"choices": ' + b"[" * 200_000 + b"\n\n"


async def _error_event(_model: ScriptedModel, _order: Order) -> AsyncGenerator[bytes]:
    yield b'data: {"error": {"message": "overloaded"}}\n\n'


_TRANSPORTS: Final = {
    "pauses": _pauses,
    "breaks off late": _breaks_off_late,
    "silent": _silent,
    "hangs after its end": _hangs_after_its_end,
    "thinks first": _thinks_first,
    "counts nothing": _counts_nothing,
    "counts beyond reason": _counts_beyond_reason,
    "slow drip": _slow_drip,
    "slow drip of its head": _drips_its_head,
    "cut mid-sentence": _cut_mid_sentence,
    "ends in no word": _ends_in_no_word,
    "cut at the limit": _cut_at_the_limit,
    "mid-UTF-8 cut": _cut_mid_utf8,
    "empty stream": _empty,
    "tool call": _tool_call,
    "garbled": _garbled,
    "wrong shape": _wrong_shape,
    "nested without end": _nested_without_end,
    "error event": _error_event,
}
BEHAVIOURS: Final = (
    *REPLIES, *_TRANSPORTS, "slow first byte", "429 with Retry-After", "503 with Retry-After", "429 until a date", "500",
    "redirect",
)  # fmt: skip


def _pieces(text: str) -> Iterator[str]:
    return (text[at : at + _PIECE] for at in range(0, len(text), _PIECE))


def _choice(delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:  # JSON
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}


def _end(finish_reason: str) -> Iterator[bytes]:
    yield _event(_choice({}, finish_reason))
    yield _event({"usage": _USAGE})
    yield b"data: [DONE]\n\n"


def _event(said: dict[str, Any]) -> bytes:  # JSON
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted", **said}
    return f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n".encode()


class _Server(uvicorn.Server):
    """A server that leaves the signals to pytest, says when it listens, and hears at once that it is to end."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listens = asyncio.Event()
        self.ends = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listens.set()

    async def main_loop(self) -> None:
        await self.ends.wait()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


@asynccontextmanager
async def scripted_model() -> AsyncGenerator[tuple[str, ScriptedModel]]:
    """Serve on a free port inside this loop; give the base URL and the server's memory."""
    model = ScriptedModel()
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(
            model.application(), log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=1
        )
        server = _Server(config)
        running = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            async with asyncio.timeout(_START_SECONDS):
                await server.listens.wait()
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1", model
        finally:
            model.released.set()
            server.ends.set()
            await running


if __name__ == "__main__":
    uvicorn.run(ScriptedModel().application(), host="127.0.0.1", port=int(sys.argv[1]))
