"""A connection that the server has ended is replaced before it is used, and one that is well is not asked first."""

import psycopg
import pytest
from sqlalchemy import text

from runtime import liveness
from runtime.database import Database, SyncDatabase

pytestmark = pytest.mark.store

MINE = text("SELECT pg_backend_pid()")


def end_session(app: Database, number: int) -> None:
    """End another session of the same role, and wait until it is gone."""
    url = app.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(url) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", (number,))


async def session_of(database: Database, tenant: str) -> int:
    async with database.snapshot(tenant) as connection:
        return (await connection.execute(MINE)).scalar_one()


async def test_an_ended_session_is_replaced_without_an_error(app: Database, tenant: str) -> None:
    single = Database(app.engine.url.render_as_string(hide_password=False), pool_size=1)
    first = await session_of(single, tenant)

    end_session(app, first)

    assert await session_of(single, tenant) != first
    await single.close()


def test_a_workers_session_is_replaced_as_well(app: Database, sync_app: SyncDatabase, tenant: str) -> None:
    with sync_app.transaction(tenant) as connection:
        first = connection.execute(MINE).scalar_one()

    end_session(app, first)

    with sync_app.transaction(tenant) as connection:
        assert connection.execute(MINE).scalar_one() != first


@pytest.mark.parametrize(("rested", "pings"), [(3600.0, 0), (0.0, 2)])
async def test_only_a_connection_that_has_rested_is_asked(
    app: Database, tenant: str, monkeypatch: pytest.MonkeyPatch, rested: float, pings: int
) -> None:
    monkeypatch.setattr(liveness, "_RESTED_SECONDS", rested)
    asked: list[object] = []
    answers = app.engine.dialect.do_ping

    def ping(connection: object) -> bool:
        asked.append(connection)
        return answers(connection)  # pyright: ignore[reportArgumentType]  # handed on as it came

    monkeypatch.setattr(app.engine.dialect, "do_ping", ping)

    sessions = {await session_of(app, tenant) for _ in range(3)}

    assert (len(sessions), len(asked)) == (1, pings)
