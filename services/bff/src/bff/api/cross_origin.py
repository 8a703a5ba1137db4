"""Let pages of listed origins call the API from a browser: tokens travel in a header, so no credentials are allowed."""

from collections.abc import Callable
from typing import Final

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from bff.api.headers import API

_METHODS: Final = ("GET", "POST", "PUT", "DELETE")
_ASKED_WITH: Final = ("Authorization", "Content-Type", "Idempotency-Key", "If-None-Match", "Last-Event-ID")
_ANSWERED_WITH: Final = ("ETag", "Idempotent-Replayed", "RateLimit", "RateLimit-Policy", "Retry-After")


class ListedOrigins(CORSMiddleware):
    """Answers preflights, and names the origin in answers, for origins that a tenant lists at that moment."""

    def __init__(self, app: ASGIApp, *, is_listed: Callable[[str], bool]) -> None:
        """Wrap an application."""
        super().__init__(app, allow_methods=_METHODS, allow_headers=_ASKED_WITH, expose_headers=_ANSWERED_WITH)
        self._is_listed = is_listed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; only the API is for other origins."""
        if scope["type"] == "http" and scope["path"].startswith(API):
            await super().__call__(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def is_allowed_origin(self, origin: str) -> bool:
        """Say whether some tenant lists an origin."""
        return self._is_listed(origin)
