"""Read everything an installation keeps, as text: to see that something is kept nowhere."""

from typing import Any

import psycopg
import redis
from psycopg.sql import SQL, Identifier

from youju.database_urls import for_psycopg


def kept_in_valkey(url: str) -> dict[str, str]:
    """Read every key with all it holds, by its name."""
    with redis.Redis.from_url(url) as server:
        names: Any = server.keys("*")  # redis types replies for both of its clients at once
        return {name.decode("utf-8", "replace"): f"{name!r} {_content(server, name)}" for name in names}


def kept_in_postgres(superuser_url: str) -> dict[str, str]:
    """Read every table as its server's superuser, by its name; encrypted columns stay bytes."""
    with psycopg.connect(superuser_url) as connection:
        names = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        )
        return {
            name: "\n".join(
                str(row[0]) for row in connection.execute(SQL("SELECT t::text FROM {} t").format(Identifier(name)))
            )
            for (name,) in names.fetchall()
        }


def superuser_url(owner_url: str, service: str) -> str:
    """Give the address of a local service's database as its server's superuser, who is trusted on its socket."""
    return for_psycopg(owner_url).replace(f"{service}_owner:local", "postgres")


def _content(server: redis.Redis, name: bytes) -> str:
    kind: Any = server.type(name)  # as above
    match kind:
        case b"string":
            content: Any = server.get(name)
        case b"list":
            content = server.lrange(name, 0, -1)
        case b"hash":
            content = server.hgetall(name)
        case b"set":
            content = server.smembers(name)
        case b"zset":
            content = server.zrange(name, 0, -1)
        case b"stream":
            content = server.xrange(name)
        case _:
            content = None
    return _as_text(content)


def _as_text(content: Any) -> str:  # as above
    match content:
        case bytes():
            return content.decode("utf-8", "replace")
        case dict():
            return " ".join(_as_text(each) for pair in content.items() for each in pair)  # pyright: ignore[reportUnknownVariableType]  # as above
        case list() | tuple() | set():
            return " ".join(_as_text(each) for each in content)  # pyright: ignore[reportUnknownVariableType]  # as above
        case _:
            return str(content)
