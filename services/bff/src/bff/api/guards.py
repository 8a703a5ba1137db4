"""Refuse requests that no parser should see: heads that are too large, JSON that is nested too deeply."""

import re
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bff.api.headers import API
from contracts.errors import InvalidRequestError, YoujuError
from runtime.problems import send_problem

HEADERS: Final = 64
HEAD_BYTES: Final = 16 * 1024
PATH_BYTES: Final = 2048
# The deepest body of the API is two levels deep.
NESTING: Final = 16
_SIGNS: Final = re.compile(rb'["\\\[\]{}]')
_METHODS: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class HeadTooLargeError(YoujuError):
    """The head of the request is too large."""

    code = "HEAD_TOO_LARGE"


class TooDeepError(InvalidRequestError):
    """The body is nested too deeply."""


class RequestGuards:
    """Stands before everything that parses. Body sizes are counted further in, by the frame of every service."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on if it may be parsed."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if is_head_too_large(scope):
            await send_problem(send, HeadTooLargeError(), status=431)
            return
        if scope["method"] not in _METHODS or not scope["path"].startswith(API):
            await self._app(scope, receive, send)
            return
        body = _Watched(receive)

        async def unless_too_deep(message: Message) -> None:
            if not body.is_too_deep:
                await send(message)

        await self._app(scope, body.receive, unless_too_deep)
        if body.is_too_deep:
            await send_problem(send, TooDeepError(), status=400)


def is_head_too_large(scope: Scope) -> bool:
    """Say whether path, query and headers exceed what a client of ours needs."""
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    size = sum(len(name) + len(value) for name, value in headers)
    target = len(scope.get("raw_path") or b"") + len(scope.get("query_string") or b"")
    return len(headers) > HEADERS or size > HEAD_BYTES or target > PATH_BYTES


class Nesting:
    """Follows how deep JSON is nested, piece by piece, without parsing it."""

    def __init__(self) -> None:
        """Begin outside of everything."""
        self._depth = 0
        self._is_string = False
        self._skip = 0

    def is_too_deep(self, piece: bytes) -> bool:
        """Read on and say whether the limit was passed."""
        resume = self._skip
        for match in _SIGNS.finditer(piece):
            if match.start() < resume:
                continue
            sign = match[0]
            if sign == b"\\":
                resume = match.start() + 2
            elif sign == b'"':
                self._is_string = not self._is_string
            elif not self._is_string:
                self._depth += 1 if sign in b"[{" else -1
            if self._depth > NESTING:
                return True
        self._skip = max(resume - len(piece), 0)
        return False


class _Watched:
    """A request body that is followed as it arrives; where it is too deep it breaks off, whatever is made of that."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._nesting = Nesting()
        self.is_too_deep = False

    async def receive(self) -> Message:
        message = await self._receive()
        if self._nesting.is_too_deep(message.get("body", b"")):
            self.is_too_deep = True
            raise TooDeepError
        return message
