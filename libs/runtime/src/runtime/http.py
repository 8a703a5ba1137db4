"""Calls to other services: explicit time-outs and pools, no proxies."""

from typing import Final

import httpx

CONNECT_SECONDS: Final = 2.0
_POOL: Final = httpx.Limits(max_connections=200, max_keepalive_connections=50)


def make_client(base_url: str, *, timeout_seconds: float) -> httpx.AsyncClient:
    """Make a client for one service; close it when the process stops. Proxies of the environment are ignored."""
    timeout = httpx.Timeout(timeout_seconds, connect=CONNECT_SECONDS)
    return httpx.AsyncClient(base_url=base_url, timeout=timeout, limits=_POOL, trust_env=False)
