"""Calls to other services: explicit time-outs and pools, trace headers, foreign errors in our two words."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import httpx

from contracts.errors import GiveUpError, TryAgainError

CONNECT_SECONDS: Final = 2.0
_POOL: Final = httpx.Limits(max_connections=200, max_keepalive_connections=50)
_TRY_AGAIN_STATUSES: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


def make_client(base_url: str, *, timeout_seconds: float) -> httpx.AsyncClient:
    """Make a client for one service; close it when the process stops. Proxies of the environment are ignored."""
    timeout = httpx.Timeout(timeout_seconds, connect=CONNECT_SECONDS)
    return httpx.AsyncClient(base_url=base_url, timeout=timeout, limits=_POOL, trust_env=False)


@contextmanager
def translated_errors() -> Generator[None]:
    """Turn httpx errors into *try again* and *give up*, chaining the cause."""
    try:
        yield
    except httpx.HTTPStatusError as refused:
        kind = TryAgainError if refused.response.status_code in _TRY_AGAIN_STATUSES else GiveUpError
        raise kind from refused
    except httpx.TransportError as lost:
        raise TryAgainError from lost
