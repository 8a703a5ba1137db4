"""Serve what our streams are measured beside: the least a stream over Valkey can be, and a scripted knowledge.

Both say as many parts as the question wants, as fast as it wants, each with the moment it was said. For
`bench.answering` the bare stream says the very events it is given.
"""

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final

from fastapi import FastAPI, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from redis.asyncio import Redis

from contracts.answers import AnswerRequest, Outcome, Part
from contracts.stream import CompletedEvent, DeltaEvent, KnowledgeEvent, MetadataEvent, SessionEvent
from runtime.sse import HEADERS, MEDIA_TYPE, encode_event

_BLOCK_MILLISECONDS: Final = 15_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """How many parts, and how long to wait before each; for ever before the first when there are none."""

    parts: int
    pace: float


class Echo(BaseModel):
    """The body of an ask."""

    question: str


class Answered(BaseModel):
    """The events of an answer that was heard: name and data of each."""

    events: tuple[tuple[str, str], ...]


def wanted(question: str) -> Wanted:
    """Read a question such as `20 0.5`."""
    parts, pace = question.split()
    return Wanted(int(parts), float(pace))


def delta() -> DeltaEvent:
    """Say a part that holds the moment it was said."""
    return DeltaEvent(kind="template", text=f"{time.monotonic_ns()} " + "退货" * 20, citations=(), new_citations=())


app = FastAPI()
knowledge = FastAPI()
# Longer than a read blocks: else the client gives it up just before its answer.
_valkey = Redis.from_url(
    os.environ.get("YOUJU_REDIS_URL", "redis://127.0.0.1"), max_connections=20_000, socket_timeout=60
)


@app.post("/streams/{name}")
async def echo(name: str, body: Echo) -> StreamingResponse:
    """Write every event into a Valkey stream, and give what is read from there."""
    writing = asyncio.create_task(_write(name, wanted(body.question)))
    return StreamingResponse(_read(name, writing), media_type=MEDIA_TYPE, headers=HEADERS)


@app.get("/streams/{name}")
async def follow(name: str) -> StreamingResponse:
    """Give what is read from a Valkey stream."""
    return StreamingResponse(_read(name, None), media_type=MEDIA_TYPE, headers=HEADERS)


@app.post("/answers/{name}")
async def repeat(name: str, body: Answered) -> StreamingResponse:
    """Write the events of an answer into a Valkey stream, and give what is read from there."""
    writing = asyncio.create_task(_repeat(name, body.events))
    return StreamingResponse(_read(name, writing), media_type=MEDIA_TYPE, headers=HEADERS)


async def _repeat(name: str, events: tuple[tuple[str, str], ...]) -> None:
    for number, (event, data) in enumerate(events, start=1):
        await _valkey.xadd(name, {"event": event, "data": data}, id=f"{number}-0")
    await _valkey.xadd(name, {"end": "1"})
    await _valkey.expire(name, 60)


async def _write(name: str, script: Wanted) -> None:
    for number in range(1, script.parts + 1):
        await asyncio.sleep(script.pace)
        data = json.dumps(delta().model_dump(mode="json"), ensure_ascii=False)
        await _valkey.xadd(name, {"data": data}, id=f"{number}-0")
    await _valkey.xadd(name, {"end": "1"})
    await _valkey.expire(name, 60)


async def _read(name: str, writing: asyncio.Task[None] | None) -> AsyncIterator[bytes]:
    position = "0"
    yield b": open\n\n"
    while True:
        found: Any = await _valkey.xread({name: position}, block=_BLOCK_MILLISECONDS)  # redis types no stream replies
        for entry, fields in found[0][1] if found else ():
            position = entry.decode()
            if b"end" in fields:
                if writing is not None:
                    await writing
                return
            number, event = position.partition("-")[0].encode(), fields.get(b"event", b"delta")
            yield b"id: %s\nevent: %s\ndata: %s\n\n" % (number, event, fields[b"data"])


@knowledge.post("/v1/answers")
async def answer(asked: AnswerRequest) -> StreamingResponse:
    """Answer an ask of bff as knowledge would."""
    return StreamingResponse(_answer(asked), media_type=MEDIA_TYPE, headers=HEADERS)


@knowledge.get("/v1/attempts/{attempt_id}")
async def logged(attempt_id: str) -> Response:
    """Say that the log cannot be read now: there is none."""
    del attempt_id
    return Response(status_code=503)


async def _answer(asked: AnswerRequest) -> AsyncIterator[bytes]:
    number = 0
    async for event in _events(asked):
        number += 1
        yield encode_event(event, number=number)


async def _events(asked: AnswerRequest) -> AsyncIterator[KnowledgeEvent]:
    said: list[DeltaEvent] = []
    yield SessionEvent(conversation_id=asked.conversation_id, attempt_id=asked.attempt_id, retry_of_attempt_id=None)
    yield MetadataEvent(trace_id="0" * 32, knowledge_version=1, as_of=asked.as_of, language=asked.language)
    script = wanted(asked.question)
    if script.parts == 0:
        await asyncio.Event().wait()
    for _ in range(script.parts):
        await asyncio.sleep(script.pace)
        said.append(delta())
        yield said[-1]
    parts = tuple(Part(kind=each.kind, text=each.text, citations=(), question_part=None) for each in said)
    outcome = Outcome(
        answer="".join(part.text for part in parts),
        parts=parts,
        coverage="full",
        refused=False,
        refusal_reason=None,
        reason_code=None,
        missing_facts=(),
        handoff="none",
        suggestions=(),
    )
    yield CompletedEvent.model_validate(outcome.model_dump())
