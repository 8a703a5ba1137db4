"""Builds the frame of an HTTP service: telemetry, problems, health, metrics, limits. Pure ASGI throughout."""

import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Final

import uvicorn
from fastapi import FastAPI, Response
from fastapi.telemetry import TelemetryConfig
from opentelemetry.instrumentation.asgi import OpenTelemetryMiddleware
from prometheus_client import Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from contracts.errors import YoujuError
from runtime.connections import STALL_SECONDS, giving_up_after
from runtime.http import SERVED_IDLE_SECONDS
from runtime.logging import get_logger
from runtime.problems import install_problems, send_problem
from runtime.refusing_start import REFUSED_STATUS, PlainRefusal
from runtime.telemetry import metrics_endpoint

Check = Callable[[], Awaitable[None]]
Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]

GRACEFUL_STOP_SECONDS: Final = 25
_BODY_LIMIT_BYTES: Final = 8 * 1024 * 1024

# FastAPI's own spans would double those of our middleware, and lie between it and the handler that names its attempt.
_NO_TELEMETRY: Final[TelemetryConfig] = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}

_SECONDS = Histogram("youju_http_request_seconds", "Time to the end of a response", ["method", "route", "status"])
_log = get_logger("http")


def build_application(  # noqa: PLR0913 - one call describes a whole service
    *,
    title: str,
    version: str,
    lifespan: Lifespan,
    ready: Mapping[str, Check],
    statuses: Mapping[str, int] | None = None,
    body_limit_bytes: int = _BODY_LIMIT_BYTES,
) -> FastAPI:
    """Make an application with health, metrics and problems. `ready` names what it cannot work without."""
    app = FastAPI(title=title, version=version, lifespan=lifespan, redoc_url=None, telemetry=_NO_TELEMETRY)
    install_problems(app, statuses=statuses)
    app.add_route("/metrics", metrics_endpoint, include_in_schema=False)
    _add_health(app, ready)
    app.add_middleware(BodyLimit, limit_bytes=body_limit_bytes)
    app.add_middleware(RequestLog)
    app.add_middleware(OpenTelemetryMiddleware, exclude_spans=["receive", "send"], excluded_urls="health,metrics")
    app.add_middleware(PlainRefusal)
    return app


def serve(app: FastAPI, *, host: str, port: int, stall_seconds: float = STALL_SECONDS) -> None:
    """Run an application until it is told to stop; open requests get 25 seconds to finish.

    A reader that takes nothing for `stall_seconds` is dropped. Leaves with REFUSED_STATUS where settings forbid the start.
    """
    try:
        uvicorn.run(
            app,
            host=host,
            port=port,
            loop="uvloop",
            http=giving_up_after(stall_seconds),
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=GRACEFUL_STOP_SECONDS,
            timeout_keep_alive=SERVED_IDLE_SECONDS,
            server_header=False,
        )
    except SystemExit:
        if getattr(app.state, "is_refused", False):
            raise SystemExit(REFUSED_STATUS) from None
        raise


def _add_health(app: FastAPI, ready: Mapping[str, Check]) -> None:
    @app.get("/health/live", include_in_schema=False)
    async def live() -> dict[str, str]:
        return {"status": "live"}

    @app.get("/health/ready", include_in_schema=False)
    async def is_ready(response: Response) -> dict[str, str]:
        states = {name: await _state(check) for name, check in ready.items()}
        if any(state != "ok" for state in states.values()):
            response.status_code = 503
        return states


async def _state(check: Check) -> str:
    try:
        await check()
    except YoujuError as error:
        return error.code.lower()
    return "ok"


class BodyLimit:
    """Refuses a request body above the limit before anything parses it, with a problem document.

    FastAPI's own `max_body_size` answers a declared length in plain text, past every exception handler.
    """

    def __init__(self, app: ASGIApp, *, limit_bytes: int) -> None:
        """Wrap an application."""
        self._app = app
        self._limit_bytes = limit_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, counting what arrives."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) > self._limit_bytes:
            await send_problem(send, TooLargeError(), status=413)
            return
        body = _CountedBody(receive, limit_bytes=self._limit_bytes)

        async def unless_exceeded(message: Message) -> None:
            if not body.exceeded:
                await send(message)

        await self._app(scope, body.receive, unless_exceeded)
        if body.exceeded:
            await send_problem(send, TooLargeError(), status=413)


class _CountedBody:
    """A request body that arrives in pieces; past the limit it breaks off, whatever the application makes of that."""

    def __init__(self, receive: Receive, *, limit_bytes: int) -> None:
        self._receive = receive
        self._left_bytes = limit_bytes
        self.exceeded = False

    async def receive(self) -> Message:
        message = await self._receive()
        self._left_bytes -= len(message.get("body", b""))
        if self._left_bytes < 0:
            self.exceeded = True
            raise TooLargeError
        return message


class TooLargeError(YoujuError):
    """The request body is too large."""

    code = "TOO_LARGE"


class RequestLog:
    """Logs one event per request and measures it by route; never a query string, body or header."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Time the request to the end of its response."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 500
        started = time.perf_counter()

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, watched)
        finally:
            self._record(scope, status, time.perf_counter() - started)

    @staticmethod
    def _record(scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "unmatched")
        _SECONDS.labels(scope["method"], route, str(status)).observe(seconds)
        if not route.startswith(("/health", "/metrics")):
            _log.info(
                "request_finished",
                method=scope["method"],
                route=route,
                status=status,
                milliseconds=round(seconds * 1000, 1),
                **_ids(scope),
            )


def _ids(scope: Scope) -> dict[str, str]:
    params = scope.get("path_params", {})
    return {name: str(params[name]) for name in ("attempt_id", "conversation_id") if name in params}
