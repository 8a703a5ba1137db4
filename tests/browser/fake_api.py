"""The HTTP edge of the fake bff: the paths, headers and status codes of the customer API, and the built page."""

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.staticfiles import StaticFiles

from contracts.answers import CitationView
from contracts.customer import Ask, Feedback, SessionRequest, SessionToken
from contracts.model import Outgoing
from tests.browser.fake_bff import FakeBff, Running, cancel
from tests.browser.scripts import cited_passage

_ATTEMPTS = "/v1/conversations/{conversation_id}/attempts"
_ATTEMPT = f"{_ATTEMPTS}/{{attempt_id}}"


def fake_api(bff: FakeBff, page: Path) -> FastAPI:
    """Serve one fake bff and the page."""
    app = FastAPI()
    _conversations(app, bff)
    _attempts(app, bff)
    _follow_ups(app, bff)
    app.mount("/", StaticFiles(directory=page, html=True))
    return app


def _conversations(app: FastAPI, bff: FakeBff) -> None:
    @app.post("/v1/sessions")
    async def open_session(body: SessionRequest) -> Response:
        bff.tenants.append(body.tenant)
        expiry = "2099-01-01T00:00:00Z"
        return _body(SessionToken.model_validate({"token": "guest", "tokenType": "Bearer", "expiresAt": expiry}))

    @app.post("/v1/conversations")
    async def open_conversation() -> Response:
        conversation_id = f"cnv_{len(bff.conversations) + 1:032x}"
        bff.conversations[conversation_id] = []
        return _body(bff.conversation(conversation_id), 201)

    @app.get("/v1/conversations/{conversation_id}")
    async def read_conversation(conversation_id: str) -> Response:
        if conversation_id not in bff.conversations:
            return _problem("NOT_FOUND", 404)
        return _body(bff.conversation(conversation_id))


def _attempts(app: FastAPI, bff: FakeBff) -> None:
    @app.post(_ATTEMPTS)
    async def ask(conversation_id: str, request: Request, body: Ask) -> Response:
        if bff.is_with_person:
            return _problem("CONVERSATION_WITH_PERSON", 409)
        bff.asks.append(body.model_dump(mode="json", by_alias=True))
        key = request.headers["Idempotency-Key"]
        if key not in bff.keys:
            bff.keys[key] = bff.start(conversation_id, body.question, None)
        return _stream(bff.keys[key], 0)

    @app.post(f"{_ATTEMPT}/retry")
    async def retry(conversation_id: str, attempt_id: str) -> Response:
        if bff.retries_left == 0:
            return _problem("RETRY_LIMIT", 409)
        bff.retries_left -= 1
        return _stream(bff.start(conversation_id, bff.running(attempt_id).attempt.question, attempt_id), 0)

    @app.get(_ATTEMPT)
    async def read_attempt(attempt_id: str) -> Response:
        return _body(bff.running(attempt_id).attempt)

    @app.get(f"{_ATTEMPT}/events")
    async def attach(attempt_id: str, request: Request) -> Response:
        running = bff.running(attempt_id)
        after = int(request.headers.get("Last-Event-ID", "0"))
        if running.attempt.status != "PENDING" and after >= len(running.events):
            return Response(status_code=204)
        return _stream(running, after)

    @app.post(f"{_ATTEMPT}/cancel")
    async def stop(attempt_id: str) -> Response:
        await cancel(bff.running(attempt_id))
        return _body(bff.running(attempt_id).attempt)


def _follow_ups(app: FastAPI, bff: FakeBff) -> None:
    @app.put(f"{_ATTEMPT}/feedback")
    async def judge(attempt_id: str, body: Feedback) -> Response:
        bff.judge(attempt_id, body)
        return _body(body)

    @app.get(f"{_ATTEMPT}/citations/{{index}}")
    async def read_citation(attempt_id: str, index: int) -> Response:
        citations = bff.running(attempt_id).attempt.citations or _streamed(bff.running(attempt_id))
        return _body(cited_passage(next(view for view in citations if view.index == index)))

    @app.post(f"{_ATTEMPT}/escalations")
    async def escalate(attempt_id: str) -> Response:
        status = 201 if bff.escalation is None else 200
        return _body(bff.escalate(attempt_id), status)

    @app.get("/v1/conversations/{conversation_id}/escalations/{escalation_id}")
    async def read_escalation(conversation_id: str, escalation_id: str, request: Request) -> Response:
        if (
            bff.escalation is None
            or bff.escalation.escalation_id != escalation_id
            or conversation_id not in bff.conversations
        ):
            return _problem("NOT_FOUND", 404)
        body = bff.escalation.model_dump_json()
        etag = f'"{hashlib.sha256(body.encode()).hexdigest()}"'
        if request.headers.get("If-None-Match") == etag:
            return Response(status_code=304, headers={"ETag": etag})
        return Response(body, media_type="application/json", headers={"ETag": etag})


def _streamed(running: Running) -> list[CitationView]:
    return [view for event in running.events if event.event == "delta" for view in event.new_citations]


def _stream(running: Running, after: int) -> Response:
    events: AsyncIterator[str] = running.read(after)
    return StreamingResponse(events, media_type="text/event-stream", headers={"Cache-Control": "no-store"})


def _body(body: Outgoing, status: int = 200) -> Response:
    return Response(body.model_dump_json(), status, media_type="application/json")


def _problem(code: str, status: int) -> Response:
    problem = {"type": "about:blank", "title": code, "status": status, "detail": code, "code": code}
    return JSONResponse(problem, status, media_type="application/problem+json")
