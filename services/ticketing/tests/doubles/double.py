"""What the doubles of helpdesks have in common: faults in their order, tickets that exist, and a server on loopback."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from runtime.http import trust

Fault = Literal["lose_reply", "late", "fail_after", "fail_before", "garbage", "cut", "busy"]
FAULTS: tuple[Fault, ...] = ("lose_reply", "late", "fail_after", "fail_before", "garbage", "cut", "busy")
Make = Callable[[], Response]


@dataclass(frozen=True)
class Said:
    """What somebody wrote under a ticket; an internal note is for colleagues alone."""

    text: str
    by: Literal["agent", "customer"] = "agent"
    is_internal: bool = False


@dataclass
class Double:
    """A helpdesk on loopback.

    `faults` strike creates in their order; `is_lagging` hides new tickets from its search,
    `hides_replies` refuses to show what was said under them.
    """

    faults: list[Fault] = field(default_factory=list[Fault])
    tickets: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])  # as each helpdesk keeps them
    said: list[Said] = field(default_factory=list[Said])
    requests: list[str] = field(default_factory=list[str])
    hides_replies: bool = False
    is_lagging: bool = False
    url: str = ""
    _at_work: int = 0
    _idle: threading.Condition = field(default_factory=threading.Condition)

    def routes(self) -> list[Route]:
        """Say which paths it answers."""
        raise NotImplementedError

    def refuse(self, request: Request) -> Response | None:
        """Refuse a request without the right credentials."""
        raise NotImplementedError

    def reset(self) -> None:
        """Forget everything."""
        self.faults.clear()
        self.tickets.clear()
        self.said.clear()
        self.requests.clear()
        self.hides_replies = False
        self.is_lagging = False

    def wait_idle(self) -> None:
        """Wait until no request is at work, also none whose caller hung up and none that still waits to be read."""
        # Connections are taken in their order: whatever was sent before this one has begun when it is answered.
        httpx.get(f"{self.url}/nowhere", trust_env=False, verify=trust(), timeout=30)
        with self._idle:
            assert self._idle.wait_for(lambda: self._at_work == 0, timeout=30)

    async def create(self, request: Request, make: Make) -> Response:
        """Create a ticket, or disappoint in the way whose turn it is."""
        fault = self.faults.pop(0) if self.faults else None
        match fault:
            case "busy":
                return JSONResponse({}, 429, {"Retry-After": "7"})
            case "fail_before":
                return Response("upstream is gone", 503)
            case "late":
                await _hung_up(request)
                return make()
            case "lose_reply":
                reply = make()
                await _hung_up(request)
                return reply
            case "fail_after" | "garbage" | "cut":
                return _spoilt(fault, make())
            case None:
                return make()

    def searchable(self) -> list[dict[str, Any]]:
        """Give what its search sees."""
        return [] if self.is_lagging else self.tickets

    @contextmanager
    def served(self) -> Generator[None]:
        """Serve on a free port of loopback until the block ends."""
        config = uvicorn.Config(Starlette(routes=self._watched()), port=0, log_config=None, lifespan="off")
        server = uvicorn.Server(config)
        socket = config.bind_socket()
        # Whoever connects before the thread is up waits in the backlog instead of being turned away.
        socket.listen()
        self.url = f"http://127.0.0.1:{socket.getsockname()[1]}"
        thread = threading.Thread(target=asyncio.run, args=(server.serve([socket]),))
        thread.start()
        try:
            yield
        finally:
            server.should_exit = True
            thread.join(30)

    def _watched(self) -> list[Route]:
        return [
            Route(route.path, self._watching(route.endpoint), methods=list(route.methods or ()))
            for route in self.routes()
        ]

    def _watching(self, answer: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        async def watched(request: Request) -> Response:
            self.requests.append(f"{request.method} {request.url.path}")
            self._count(1)
            try:
                return self.refuse(request) or await answer(request)
            finally:
                self._count(-1)

        return watched

    def _count(self, change: int) -> None:
        with self._idle:
            self._at_work += change
            self._idle.notify_all()


def _spoilt(fault: Fault, reply: Response) -> Response:
    if reply.status_code >= 400:
        return reply
    if fault == "fail_after":
        return Response("it broke", 500)
    if fault == "garbage":
        return Response("<html>done</html>", 200)

    async def half() -> AsyncIterator[bytes]:
        yield bytes(reply.body)[:10]

    return StreamingResponse(half(), reply.status_code, {"Content-Length": str(len(bytes(reply.body)))})


async def _hung_up(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def json_of(request: Request) -> dict[str, Any]:  # any JSON object
    """Read the body of a request; what is no object is an empty one."""
    try:
        return object_in(json.loads(await request.body()))
    except ValueError:
        return {}


def object_in(value: Any) -> dict[str, Any]:  # any JSON
    """Give a JSON object; what is none is an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}  # parsed JSON


def texts(body: dict[str, Any], *names: str) -> bool:  # any JSON object
    """Say whether all of the fields are non-empty texts."""
    return all(isinstance(body.get(name), str) and body[name] for name in names)
