"""Limit how often something may be done in a minute: sliding windows, counted in Valkey for all processes together.

Without Valkey the installation chooses: every process counts for itself (`local`), nothing is limited (`open`), or
nothing is let in (`closed`).
Source: draft-ietf-httpapi-ratelimit-headers-10 (`RateLimit-Policy`, `RateLimit`).
"""

import ipaddress
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage, RedisStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from prometheus_client import Counter
from redis.asyncio import Redis
from redis.exceptions import RedisError

from contracts.errors import LimitedError, UnavailableError
from runtime.logging import get_logger

WithoutValkey = Literal["local", "open", "closed"]
WINDOW_SECONDS: Final = 60
_IPV6_PREFIX: Final = 64
_LEFT_ALONE_SECONDS: Final = 5.0

_REFUSED = Counter("youju_rate_limited_total", "Requests refused by a limit", ["policy"])
_UNSURE = Counter("youju_rate_limits_without_valkey_total", "Limits that were looked at without Valkey", ["policy"])
_log = get_logger("limits")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """So much in a minute, for one of whatever `key` names. `policy` is the name customers see."""

    policy: str
    per_minute: int
    key: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What is left of a limit, and when there will be more."""

    policy: str
    per_minute: int
    remaining: int
    reset_seconds: int


class RateLimitedError(LimitedError):
    """Too many requests; try again shortly."""

    def __init__(self, spent: Spent) -> None:
        """Say when there will be more."""
        super().__init__(retry_after_seconds=max(spent.reset_seconds, 1))
        self.spent = spent


class Limits:
    """Counts for all processes together."""

    def __init__(
        self,
        valkey: Redis,
        *,
        without_valkey: WithoutValkey,
        now: Callable[[], float],
        stopwatch: Callable[[], float],
    ) -> None:
        """Share a client's connections. `now` is the time in seconds since 1970, as Valkey has it."""
        pool: Any = valkey.connection_pool  # the library types its options as plain settings
        shared = RedisStorage(
            "async+redis://shared:1", implementation="redispy", connection_pool=pool, key_prefix="limit"
        )
        self._shared = SlidingWindowCounterRateLimiter(shared)
        self._own = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._without_valkey: WithoutValkey = without_valkey
        self._now = now
        self._stopwatch = stopwatch
        self._lost_until = 0.0

    async def spend(self, limit: Limit) -> Spent | None:
        """Count one; None when nothing is known of the limit.

        Errors: RateLimitedError past the limit; UnavailableError without Valkey where limits are closed.
        """
        if self._stopwatch() >= self._lost_until:
            try:
                return await self._spend(self._shared, limit)
            except RedisError:
                # A server that is silent costs each request its whole patience; one in a while finds out.
                self._lost_until = self._stopwatch() + _LEFT_ALONE_SECONDS
                _log.warning("limits_lost", policy=limit.policy)
        _UNSURE.labels(limit.policy).inc()
        match self._without_valkey:
            case "local":
                return await self._spend(self._own, limit)
            case "open":
                return None
            case "closed":
                raise UnavailableError

    async def _spend(self, counting: SlidingWindowCounterRateLimiter, limit: Limit) -> Spent:
        item = RateLimitItemPerMinute(limit.per_minute)
        is_within = await counting.hit(item, limit.policy, *limit.key)
        window = await counting.get_window_stats(item, limit.policy, *limit.key)
        spent = Spent(
            policy=limit.policy,
            per_minute=limit.per_minute,
            remaining=window.remaining if is_within else 0,
            reset_seconds=min(max(math.ceil(window.reset_time - self._now()), 0), WINDOW_SECONDS),
        )
        if not is_within:
            _REFUSED.labels(limit.policy).inc()
            raise RateLimitedError(spent)
        return spent


def network_of(address: str) -> str:
    """Name whose address it is: a household has one IPv4 address, but 2^64 of IPv6 at the least."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "unknown"
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, _IPV6_PREFIX), strict=False))
    return str(parsed)


def policy_header(spent: tuple[Spent, ...]) -> str:
    """Write the `RateLimit-Policy` field."""
    return ", ".join(f'"{each.policy}";q={each.per_minute};w={WINDOW_SECONDS}' for each in spent)


def state_header(spent: tuple[Spent, ...]) -> str:
    """Write the `RateLimit` field."""
    return ", ".join(f'"{each.policy}";r={each.remaining};t={each.reset_seconds}' for each in spent)
