import psycopg
import pytest
from sqlalchemy import text

from contracts.errors import UnavailableError
from runtime.database import Database
from runtime.round_trips import Ask, ask_one, ask_together, listed

pytestmark = pytest.mark.store

NUMBER = "SELECT CAST(:number AS integer) AS number"
DIVIDED = "SELECT 1 / CAST(:number AS integer) AS number"
END_SESSION = "SELECT pg_terminate_backend(pg_backend_pid())"


def number(value: int) -> Ask:
    return Ask(NUMBER, {"number": value, "unused": "does no harm"})


async def test_answers_come_in_the_order_of_the_statements(app: Database, tenant: str) -> None:
    async with app.snapshot(tenant) as connection:
        found = await ask_together(connection, [number(each) for each in (3, 1, 2)])

    assert [rows[0].number for rows in found] == [3, 1, 2]


async def test_nothing_asked_is_nothing_answered(app: Database, tenant: str) -> None:
    async with app.snapshot(tenant) as connection:
        assert await ask_together(connection, []) == []


async def test_statements_sent_together_see_one_tenant_alone(app: Database, tenant: str) -> None:
    async with app.transaction(tenant) as connection:
        await connection.execute(text("INSERT INTO note (tenant, words) VALUES (:tenant, 'ours')"), {"tenant": tenant})

    async with app.snapshot(f"{tenant}-other") as connection:
        assert await ask_together(connection, [Ask("SELECT words FROM note", {})]) == [[]]


async def test_a_failure_in_the_middle_leaves_the_pool_usable(app: Database, tenant: str) -> None:
    single = Database(app.engine.url.render_as_string(hide_password=False), pool_size=1)
    with pytest.raises(psycopg.errors.DivisionByZero):
        async with single.snapshot(tenant) as connection:
            await ask_together(connection, [number(1), Ask(DIVIDED, {"number": 0}), number(2)])

    async with single.snapshot(tenant) as connection:
        assert (await ask_one(connection, NUMBER, {"number": 7}))[0].number == 7
    await single.close()


async def test_a_lost_connection_is_unavailable_and_then_replaced(app: Database, tenant: str) -> None:
    single = Database(app.engine.url.render_as_string(hide_password=False), pool_size=1)
    with pytest.raises(UnavailableError):
        async with single.snapshot(tenant) as connection:
            await ask_together(connection, [number(1), Ask(END_SESSION, {}), number(2)])

    async with single.snapshot(tenant) as connection:
        assert (await ask_one(connection, NUMBER, {"number": 7}))[0].number == 7
    await single.close()


async def test_listed_values_are_an_array(app: Database, tenant: str) -> None:
    async with app.snapshot(tenant) as connection:
        (row,) = await ask_one(connection, "SELECT CAST(:values AS integer[]) AS numbers", {"values": listed([1, 2])})

    assert row.numbers == [1, 2]
