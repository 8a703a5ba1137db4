"""Open Valkey (or Redis) with short time-outs: it is a convenience here, never the record."""

from typing import Final

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError  # noqa: A004 - redis names it so

_SECONDS: Final = 2.0
_CONNECTIONS: Final = 64


def open_valkey(url: str, *, answer_seconds: float = _SECONDS) -> Redis:
    """Make a client; nothing connects yet. One repeat covers a connection that went stale in the pool.

    Who finds all connections in use waits for one: that many calls at once are a peak, not a lost server.
    """
    pool = BlockingConnectionPool.from_url(
        url,
        timeout=_SECONDS,
        socket_timeout=answer_seconds,
        socket_connect_timeout=_SECONDS,
        max_connections=_CONNECTIONS,
        retry=Retry(NoBackoff(), 1, supported_errors=(ConnectionError,)),
    )
    return Redis.from_pool(pool)
