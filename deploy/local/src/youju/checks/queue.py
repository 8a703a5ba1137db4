"""Check the broker and how much waits in it."""

from collections.abc import Mapping
from typing import Final

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from youju.checks.finding import Finding
from youju.database_urls import SERVICES

# Far more than a healthy worker ever leaves waiting.
_BACKLOG: Final = 1_000


def check_queue(settings: Mapping[str, str]) -> Finding:
    """Look whether the broker answers, keeps what it is given, and is being emptied."""
    url = settings.get("YOUJU_REDIS_URL")
    if url is None:
        return Finding("queue", "no address is known", "run `make up`, or set YOUJU_REDIS_URL")
    try:
        with redis.Redis.from_url(url, socket_timeout=3, retry=Retry(NoBackoff(), 0)) as client:
            waiting = sum(_length(client, service) for service in SERVICES)
            evicts = _policy(client) != "noeviction"
    except redis.RedisError as refused:
        return Finding("queue", str(refused), "see `make logs`, or start it with `make up`")
    if evicts:
        return Finding("queue", "the server may evict messages", "set its maxmemory-policy to noeviction")
    remedy = "" if waiting < _BACKLOG else "see the logs of the workers: they do not keep up"
    return Finding("queue", f"{waiting} messages wait", remedy)


def _length(client: redis.Redis, queue: str) -> int:
    return int(client.llen(queue))


def _policy(client: redis.Redis) -> str:
    answer: dict[str, str] = client.config_get("maxmemory-policy")  # pyright: ignore[reportAssignmentType]  # redis-py types sync and async alike
    return answer.get("maxmemory-policy", "noeviction")
