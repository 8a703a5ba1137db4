"""Several statements in one round trip: they are sent together, and their rows are read once all have been answered.

They go to the driver's own connection, in the same transaction as everything else on it: what SQLAlchemy does for a
statement whose text is known and whose rows are read as they come costs more than many a statement.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any, Final, cast

import psycopg
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.rows import namedtuple_row
from sqlalchemy import text
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.ext.asyncio import AsyncConnection

_DIALECT: Final = PGDialect_psycopg()

Rows = Sequence[Any]  # named tuples, a column an attribute


@dataclass(frozen=True, slots=True)
class Ask:
    """A constant statement, spelled with `:name`, and its parameters. One that is not named in it does no harm."""

    statement: str
    parameters: Mapping[str, Any]  # parameters of several types


@dataclass(frozen=True, slots=True)
class Sent:
    """A parameter in Postgres's own bytes; the statement says of what type, for vectors have no fixed number."""

    data: bytes


class _SentDumper(Dumper):
    format = Format.BINARY
    oid = 0

    def dump(self, obj: Sent) -> bytes:
        return obj.data


psycopg.adapters.register_dumper(Sent, _SentDumper)


async def ask_together(connection: AsyncConnection, asks: Iterable[Ask]) -> list[Rows]:
    """Ask everything in one round trip; the server answers in this order, and stops at the first that fails.

    Each is sent before the next is made, so that the server works while whoever makes them computes.
    """
    coming = iter(asks)
    first = next(coming, None)
    if first is None:
        return []
    driver = await _driver(connection)
    cursors: list[psycopg.AsyncCursor[Any]] = []  # rows of named tuples
    async with driver.pipeline():
        for each in chain((first,), coming):
            cursors.append(driver.cursor(binary=True, row_factory=namedtuple_row))
            await cursors[-1].execute(_spelled(each.statement), each.parameters, prepare=True)
    return [await cursor.fetchall() for cursor in cursors]


async def ask_one(connection: AsyncConnection, statement: str, parameters: Mapping[str, Any]) -> Rows:
    """Ask one statement in a round trip of its own."""
    cursor = (await _driver(connection)).cursor(binary=True, row_factory=namedtuple_row)
    await cursor.execute(_spelled(statement), parameters, prepare=True)
    return await cursor.fetchall()


def listed(values: Iterable[object]) -> str:
    """Spell numbers or ids as an array; the statement says of what. The driver's own way asks each for its type."""
    return "{" + ",".join(map(str, values)) + "}"


async def _driver(connection: AsyncConnection) -> psycopg.AsyncConnection[Any]:
    raw = await connection.get_raw_connection()
    return cast("psycopg.AsyncConnection[Any]", raw.driver_connection)  # the engine's driver is psycopg


@cache
def _spelled(statement: str) -> bytes:
    return str(text(statement).compile(dialect=_DIALECT)).encode()
