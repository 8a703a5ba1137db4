"""Limit how many guest sessions one address may open: a fixed window of a minute on Valkey.

Without Valkey the limit is off: a guest session costs little, and nobody should be locked out by our outage.
"""

from typing import Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from contracts.errors import LimitedError
from runtime.clock import Clock
from runtime.logging import get_logger

_WINDOW_SECONDS: Final = 60

_log = get_logger("limits")


class SessionLimit:
    """Counts guest sessions by tenant and address."""

    def __init__(self, valkey: Redis, *, per_minute: int, clock: Clock) -> None:
        """Allow `per_minute` sessions in each minute of the clock."""
        self._valkey = valkey
        self._per_minute = per_minute
        self._clock = clock

    async def spend(self, *, tenant: str, address: str) -> None:
        """Count one session. Errors: LimitedError past the limit, with the seconds to the next window."""
        second = int(self._clock().timestamp())
        used = await self._count(f"sessions:{tenant}:{address}:{second // _WINDOW_SECONDS}")
        if used > self._per_minute:
            raise LimitedError(retry_after_seconds=_WINDOW_SECONDS - second % _WINDOW_SECONDS)

    async def _count(self, key: str) -> int:
        try:
            async with self._valkey.pipeline(transaction=False) as pipeline:
                pipeline.incr(key)
                pipeline.expire(key, _WINDOW_SECONDS)
                used, _ = await pipeline.execute()
        except RedisError:
            _log.warning("limits_off")
            return 0
        return int(used)
