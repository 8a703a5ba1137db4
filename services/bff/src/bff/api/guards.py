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
# What is no quote and no bracket, escaped signs included; then what stands in quotes, also without an end.
_NO_SIGN: Final = re.compile(rb'\\.|[^"\\\[\]{}]+|\\', re.DOTALL)
_STRING: Final = re.compile(rb'"[^"]*"?')
_ONE_KIND: Final = bytes.maketrans(b"{}", b"[]")
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


def is_too_deep(body: bytes) -> bool:
    """Say whether JSON is nested too deeply, without parsing it: whatever the bytes are, all work is done in C."""
    if body.count(b"[") + body.count(b"{") <= NESTING:
        return False
    signs = _STRING.sub(b"", _NO_SIGN.sub(b"", body)).translate(_ONE_KIND)
    for _ in range(NESTING):
        signs = signs.replace(b"[]", b"")
    return b"[]" in signs or signs.count(b"[") > NESTING


class _Watched:
    """A request body that is looked at when it is whole; where it is too deep it breaks off, whatever is made of that."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._body = bytearray()
        self.is_too_deep = False

    async def receive(self) -> Message:
        message = await self._receive()
        self._body += message.get("body", b"")
        if not message.get("more_body") and is_too_deep(bytes(self._body)):
            self.is_too_deep = True
            raise TooDeepError
        return message
