from dataclasses import replace

import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from runtime.database import Database, SyncDatabase
from services.ticketing.tests.conftest import LookAt
from services.ticketing.tests.fakes import ScriptedHelpdesk, message, only, order
from tests.support.databases import OpenDatabase
from ticketing.tasks.edge import Edge
from ticketing.tasks.receiving import receive_order
from ticketing.tickets.helpdesk import NotCreatedError
from ticketing.tickets.store import sweeping

pytestmark = pytest.mark.store

TABLES = ("ticket", "ticket_try", "desk_ticket", "desk_counter", "outbox", "parked_message")


@pytest.fixture
def filled(edge: Edge, tenant: str) -> str:
    receive_order(edge, message(order(tenant)))
    receive_order(edge, message(order(tenant, question="other content")))
    return tenant


@pytest.mark.parametrize("table", TABLES)
def test_a_tenant_sees_its_own_rows_and_no_others(filled: str, look_at: LookAt, table: str) -> None:
    query = f"SELECT DISTINCT tenant FROM {table}"  # noqa: S608

    assert look_at(filled).rows(query) == [{"tenant": filled}]
    assert look_at("somebody-else").rows(query) == []


@pytest.mark.parametrize("table", TABLES)
def test_without_a_tenant_the_app_sees_nothing(filled: str, database: SyncDatabase, table: str) -> None:
    del filled

    with database.engine.connect() as connection:
        assert connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one() == 0  # noqa: S608


@pytest.mark.usefixtures("filled")
def test_no_tenant_writes_for_another(database: SyncDatabase) -> None:
    with pytest.raises(ProgrammingError, match="row-level security"), database.transaction("a") as connection:
        connection.execute(text("INSERT INTO desk_counter VALUES ('b', 1)"))


async def test_the_sweeper_finds_what_is_due_and_reads_nothing_else(
    edge: Edge, tenant: str, look_at: LookAt, service_database: OpenDatabase
) -> None:
    down = ScriptedHelpdesk(errors=[NotCreatedError()])
    receive_order(replace(edge, choose=only(down)), message(order(tenant)))
    look_at(tenant).come_due()
    sweeper = Database(service_database("ticketing").sweeper, pool_size=1)

    async with sweeper.sweep() as connection:
        due = await sweeping.find_due(connection, most=100)
    with pytest.raises(ProgrammingError, match="permission denied"):
        async with sweeper.sweep() as connection:
            await connection.execute(text("SELECT body FROM ticket"))
    await sweeper.close()

    assert tenant in {found for found, _ in due}
