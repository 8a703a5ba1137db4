"""Refuses pooled connections that are lost, without a round trip for each one that is not.

A server that ends a session says so, and what it said waits to be read; on a connection that is well nothing does. A
server that vanished says nothing, so that a connection nobody used for a while is asked all the same.
"""

import select
import time
from typing import Any, Final, cast

import psycopg
from sqlalchemy import Engine, event
from sqlalchemy.exc import InvalidatePoolError

_RESTED_SECONDS: Final = 10.0
_USED_AT: Final = "used at"


def refuse_lost_connections(engine: Engine) -> None:
    """Look at each connection when it is taken out of the pool; a lost one is replaced, with all that are as old."""

    def take(connection: Any, record: Any, _proxy: object) -> None:  # the driver's connection and the pool's record
        now = time.monotonic()
        # A connection that was never used has just been made.
        rested = now - record.info.get(_USED_AT, now)
        if (rested > _RESTED_SECONDS or _has_unread(_driver_of(connection))) and not _answers(engine, connection):
            raise InvalidatePoolError

    def put_back(_connection: object, record: Any) -> None:  # as above
        record.info[_USED_AT] = time.monotonic()

    event.listen(engine, "checkout", take)
    event.listen(engine, "checkin", put_back)


def _has_unread(driver: psycopg.Connection[Any] | psycopg.AsyncConnection[Any]) -> bool:
    if driver.closed:
        return True
    poller = select.poll()
    poller.register(driver.fileno(), select.POLLIN)
    return bool(poller.poll(0))


def _answers(engine: Engine, connection: Any) -> bool:  # as above
    try:
        return bool(engine.dialect.do_ping(connection))
    except engine.dialect.loaded_dbapi.Error as failed:
        if engine.dialect.is_disconnect(failed, connection, None):
            return False
        raise


def _driver_of(connection: Any) -> psycopg.Connection[Any] | psycopg.AsyncConnection[Any]:  # as above
    return cast("psycopg.Connection[Any]", getattr(connection, "driver_connection", connection))
