"""A bff that plays recorded attempts, so that a client can be tested without a Youju behind it.

`python -m clients.conformance.scripted_bff 8099` serves it. The question names the transcript, and after a `+` how the
network and the server behave meanwhile: `answer + drop`, `refusal-conflict + heartbeats`, `failure-cut + late`.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

TRANSCRIPTS: Final = Path(__file__).parent / "transcripts"
BEHAVIOURS: Final = {
    "": "nothing happens",
    "drop": "the connection ends after the second event, once",
    "heartbeats": "a heartbeat after the metadata and after every part",
    "late": "the connection ends after the second event, and the next two tries are 503 with Retry-After",
    "twice": "the connection ends after the second event, and the next one tells everything from the first on",
    "full": "the first try is 429 with Retry-After, and nothing was stored",
    "lost": "the first try begins the attempt and ends before its first byte",
    "restart": "the server stops after the second event and says with `retry:` how soon to attach again",
}
_RECORDED_CONVERSATION: Final = "cnv_" + "0" * 31 + "1"
_RECORDED_ATTEMPT: Final = "att_" + "0" * 31 + "1"
_BREAK_AFTER: Final = 2
_ATTEMPTS: Final = "/v1/conversations/{conversation_id}/attempts"
_ATTEMPT: Final = f"{_ATTEMPTS}/{{attempt_id}}"

Json = dict[str, Any]  # a JSON body


@dataclass
class Playing:
    """One attempt that is played."""

    frames: list[str]
    state: Json
    behaviour: str
    connections: int = 0
    refusals: int = 0


@dataclass
class ScriptedBff:
    """What the scripted bff remembers."""

    conversations: dict[str, list[Playing]] = field(default_factory=dict[str, list[Playing]])
    attempts: dict[str, Playing] = field(default_factory=dict[str, Playing])
    keys: dict[str, Playing] = field(default_factory=dict[str, Playing])
    refused: set[str] = field(default_factory=set[str])
    escalations: dict[str, Json] = field(default_factory=dict[str, Json])

    def begin(self, conversation: str, question: str, retry_of: str | None = None) -> Playing:
        """Begin the attempt a question names, under ids of its own; a question that names none is answered."""
        name, _, behaviour = (each.strip() for each in question.partition("+"))
        name = name if (TRANSCRIPTS / f"{name}.sse").exists() else "answer"
        attempt = f"att_{len(self.attempts) + 1:032x}"
        text = (TRANSCRIPTS / f"{name}.sse").read_text(encoding="utf-8")
        state = (TRANSCRIPTS / f"{name}.json").read_text(encoding="utf-8")
        retried = '"retryOfAttemptId":' + json.dumps(retry_of)
        frames = _own(text, conversation, attempt).replace('"retryOfAttemptId":null', retried)
        played = Playing(
            frames=[f"{frame}\n\n" for frame in frames.split("\n\n") if frame],
            state=json.loads(_own(state, conversation, attempt)),
            behaviour=behaviour,
        )
        played.state["attempt"] |= {"question": question, "retryOfAttemptId": retry_of}
        self.attempts[attempt] = played
        self.conversations.setdefault(conversation, []).append(played)
        return played

    def conversation(self, conversation: str) -> Json:
        """Give a conversation as it is read."""
        attempts = [each.state["attempt"] for each in self.conversations[conversation]]
        return {
            "conversationId": conversation,
            "attempts": attempts,
            "escalation": self.escalations.get(conversation),
        }


def scripted_bff() -> FastAPI:
    """Give the application, with nothing asked yet."""
    app, bff = FastAPI(), ScriptedBff()
    _add_conversations(app, bff)
    _add_attempts(app, bff)
    _add_reading(app, bff)
    _add_follow_ups(app, bff)
    return app


def _add_conversations(app: FastAPI, bff: ScriptedBff) -> None:
    @app.post("/v1/sessions")
    async def open_session() -> Response:
        token = {"token": "guest", "tokenType": "Bearer", "expiresAt": "2099-01-01T00:00:00Z"}
        return JSONResponse(token, 201)

    @app.post("/v1/conversations")
    async def open_conversation() -> Response:
        conversation = f"cnv_{len(bff.conversations) + 1:032x}"
        bff.conversations[conversation] = []
        return JSONResponse(bff.conversation(conversation), 201)

    @app.get("/v1/conversations/{conversation_id}")
    async def read_conversation(conversation_id: str) -> Response:
        if conversation_id not in bff.conversations:
            return _problem(404, "NOT_FOUND")
        return JSONResponse(bff.conversation(conversation_id))


def _add_attempts(app: FastAPI, bff: ScriptedBff) -> None:
    @app.post(_ATTEMPTS)
    async def ask(conversation_id: str, request: Request) -> Response:
        question = (await request.json())["question"]
        key = request.headers.get("Idempotency-Key", "")
        if question.endswith("full") and key not in bff.refused:
            bff.refused.add(key)
            return _problem(429, "RATE_LIMITED", {"Retry-After": "1"})
        if not key or key not in bff.keys:
            bff.keys[key] = bff.begin(conversation_id, question)
        return _answer(bff.keys[key], request)

    @app.post(f"{_ATTEMPT}/retry")
    async def retry(conversation_id: str, attempt_id: str, request: Request) -> Response:
        question = bff.attempts[attempt_id].state["attempt"]["question"]
        return _answer(bff.begin(conversation_id, question, attempt_id), request)


def _add_reading(app: FastAPI, bff: ScriptedBff) -> None:
    @app.get(_ATTEMPT)
    async def read_attempt(attempt_id: str) -> Response:
        if attempt_id not in bff.attempts:
            return _problem(404, "NOT_FOUND")
        return JSONResponse(bff.attempts[attempt_id].state["attempt"])

    @app.post(f"{_ATTEMPT}/cancel")
    async def cancel(attempt_id: str) -> Response:
        return JSONResponse(bff.attempts[attempt_id].state["attempt"])

    @app.get(f"{_ATTEMPT}/events")
    async def follow(attempt_id: str, request: Request) -> Response:
        played, after = bff.attempts[attempt_id], int(request.headers.get("Last-Event-ID", "0"))
        if after >= len(played.frames):
            return Response(status_code=204)
        if played.behaviour == "late" and played.refusals < _BREAK_AFTER:
            played.refusals += 1
            return _problem(503, "UNAVAILABLE", {"Retry-After": "0"})
        return _stream(played, 0 if played.behaviour == "twice" else after)


def _add_follow_ups(app: FastAPI, bff: ScriptedBff) -> None:
    @app.put(f"{_ATTEMPT}/feedback")
    async def judge(attempt_id: str, request: Request) -> Response:
        feedback = {"reasonCode": None, "comment": None, **await request.json()}
        bff.attempts[attempt_id].state["attempt"]["feedback"] = feedback
        return JSONResponse(feedback)

    @app.get(f"{_ATTEMPT}/feedback")
    async def read_feedback(attempt_id: str) -> Response:
        feedback = bff.attempts[attempt_id].state["attempt"]["feedback"]
        return _problem(404, "NOT_FOUND") if feedback is None else JSONResponse(feedback)

    @app.get(f"{_ATTEMPT}/citations/{{index}}")
    async def read_citation(attempt_id: str, index: int) -> Response:
        passages: list[Json] = bff.attempts[attempt_id].state["passages"]
        found = [each for each in passages if each["index"] == index]
        return JSONResponse(found[0]) if found else _problem(404, "NOT_FOUND")

    @app.post(f"{_ATTEMPT}/escalations")
    async def escalate(conversation_id: str, attempt_id: str) -> Response:
        status = 200 if conversation_id in bff.escalations else 201
        wish = {
            "escalationId": "esc_" + attempt_id.removeprefix("att_"),
            "attemptId": attempt_id,
            "status": "REQUESTED",
            "ticketNumber": None,
            "solution": None,
            "createdAt": "2026-11-30T08:00:02Z",
        }
        return JSONResponse(bff.escalations.setdefault(conversation_id, wish), status)

    @app.get("/v1/conversations/{conversation_id}/escalations/{escalation_id}")
    async def read_escalation(conversation_id: str, escalation_id: str) -> Response:
        wish = bff.escalations.get(conversation_id)
        known = wish is not None and wish["escalationId"] == escalation_id
        return JSONResponse(wish, headers={"ETag": '"1"'}) if known else _problem(404, "NOT_FOUND")


def _answer(played: Playing, request: Request) -> Response:
    if "text/event-stream" in request.headers.get("accept", ""):
        return _stream(played, 0)
    attempt = played.state["attempt"]
    if attempt["status"] == "FAILED":
        return _problem(_STATUS.get(attempt["failureCode"], 502), attempt["failureCode"])
    return JSONResponse(attempt)


_STATUS: Final = {"KNOWLEDGE_UNAVAILABLE": 503, "KNOWLEDGE_TIMEOUT": 504, "CANCELLED": 409}


def _stream(played: Playing, after: int) -> Response:
    played.connections += 1
    frames = _frames(played, after, is_first=played.connections == 1)
    return StreamingResponse(frames, media_type="text/event-stream", headers={"Cache-Control": "no-store"})


async def _frames(played: Playing, after: int, *, is_first: bool) -> AsyncIterator[str]:
    breaks = is_first and played.behaviour in {"drop", "late", "twice", "restart"}
    if is_first and played.behaviour == "lost":
        return
    for number, frame in enumerate(played.frames[after:], start=after + 1):
        stops = breaks and number == _BREAK_AFTER
        yield f"retry: 100\n{frame}" if stops and played.behaviour == "restart" else frame
        if stops:
            return
        if played.behaviour == "heartbeats" and ("event: metadata" in frame or "event: delta" in frame):
            yield "event: heartbeat\ndata: {}\n\n"
        await asyncio.sleep(0)


def _own(text: str, conversation: str, attempt: str) -> str:
    return text.replace(_RECORDED_CONVERSATION, conversation).replace(_RECORDED_ATTEMPT, attempt)


def _problem(status: int, code: str, headers: dict[str, str] | None = None) -> Response:
    body = {
        "type": f"urn:youju:problem:{code.lower().replace('_', '-')}",
        "title": code,
        "status": status,
        "detail": code,
        "instance": None,
        "code": code,
        "attemptId": None,
        "traceId": None,
    }
    return JSONResponse(body, status, headers, "application/problem+json")


if __name__ == "__main__":
    uvicorn.run(scripted_bff(), host="127.0.0.1", port=int(sys.argv[1]) if len(sys.argv) > 1 else 8099)
