"""Set the headers every answer of the API bears, and take away the one that no customer may send."""

from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bff.api.limiting import tell_limits

API: Final = "/v1/"


class ApiHeaders:
    """Keeps answers of the API out of every cache, and from being read as anything but what they say."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and add to the head of its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("X-Content-Type-Options", "nosniff")
                if scope["path"].startswith(API):
                    headers.setdefault("Cache-Control", "no-store")
                    tell_limits(scope, message)
            await send(message)

        await self._app(scope, receive, with_headers)


class NoBaggage:
    """Drops the baggage of requests: it names tenant and attempt on our spans, and travels on to other services."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on without its baggage."""
        if scope["type"] == "http":
            scope["headers"] = [header for header in scope["headers"] if header[0] != b"baggage"]
        await self._app(scope, receive, send)
