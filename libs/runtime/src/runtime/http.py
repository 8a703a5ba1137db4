"""Calls to our other services: explicit time-outs and pools, no proxies, and the trace goes along.

Clients of anybody else are made where they are used and carry no trace: its ids, and attempt and tenant in its baggage,
stay inside the installation.
"""

import ssl
from functools import cache
from typing import Final

import httpx
from opentelemetry.instrumentation.httpx import HTTPXClientInstrumentor

CONNECT_SECONDS: Final = 2.0
# A client leaves an idle connection long before its service does. Where both gave up at the same second, or the service
# stood still meanwhile, a call went into a connection that was being closed, and was lost.
IDLE_SECONDS: Final = 5
SERVED_IDLE_SECONDS: Final = 30
_POOL: Final = httpx.Limits(max_connections=200, max_keepalive_connections=50, keepalive_expiry=IDLE_SECONDS)


@cache
def trust() -> ssl.SSLContext:
    """Give the certificates that calls trust. Loading them takes longer than a call; they are the same for everybody."""
    return httpx.create_ssl_context(trust_env=False)


def make_client(base_url: str, *, timeout_seconds: float) -> httpx.AsyncClient:
    """Make a client for one of our services; close it when the process stops. Proxies of the environment are ignored."""
    timeout = httpx.Timeout(timeout_seconds, connect=CONNECT_SECONDS)
    client = httpx.AsyncClient(base_url=base_url, timeout=timeout, limits=_POOL, trust_env=False, verify=trust())
    HTTPXClientInstrumentor.instrument_client(client)
    return client
