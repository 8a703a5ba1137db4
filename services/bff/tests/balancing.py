"""A balancer before several processes, which repeats only what the rules of the API let it repeat."""

from http import HTTPStatus
from itertools import count
from typing import Final

import httpx
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

_TRIES: Final = 4
_HOP_BY_HOP: Final = frozenset({"connection", "host", "transfer-encoding", "content-length"})
_UNCHANGING: Final = frozenset({"GET", "PUT", "DELETE"})


class Balancer:
    """Passes requests on to one process after the other."""

    def __init__(self, http: httpx.AsyncClient, urls: tuple[str, ...]) -> None:
        self._http = http
        self._urls = urls
        self._turns = count()
        self.unrepeatable = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            request = Request(scope, receive)
            response = await self._answer(request, await request.body())
            await response(scope, receive, send)

    async def _answer(self, request: Request, body: bytes) -> Response:
        may_repeat = request.method in _UNCHANGING or "idempotency-key" in request.headers
        turn = next(self._turns)
        for each in range(_TRIES):
            url = self._urls[(turn + each) % len(self._urls)]
            try:
                answer = await self._http.send(self._passed_on(request, url, body), stream=True)
            except httpx.ConnectError:
                # Nobody has heard anything: whatever it was, another may be asked.
                continue
            except httpx.TransportError:
                if not may_repeat:
                    break
                continue
            if answer.status_code == HTTPStatus.SERVICE_UNAVAILABLE and may_repeat:
                await answer.aclose()
                continue
            return _streamed(answer)
        self.unrepeatable += 1
        return PlainTextResponse("nobody could be asked", 502)

    def _passed_on(self, request: Request, url: str, body: bytes) -> httpx.Request:
        place = httpx.URL(url).copy_with(raw_path=request.url.path.encode())
        return self._http.build_request(request.method, place, headers=_kept(request.headers), content=body)


def _streamed(answer: httpx.Response) -> Response:
    class Closing(StreamingResponse):
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            try:
                await super().__call__(scope, receive, send)
            finally:
                await answer.aclose()

    return Closing(answer.aiter_raw(), answer.status_code, _kept(Headers(raw=answer.headers.raw)))


def _kept(headers: Headers) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name not in _HOP_BY_HOP}
