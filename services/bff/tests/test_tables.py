"""The migrated database is what the code says it is, and shut to everybody but the tenant."""

from collections.abc import AsyncIterator, Iterator

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.pool import NullPool

from bff.adapters.clients import Clients
from bff.tables import METADATA
from contracts.ids import uuid7
from runtime.database import Database
from services.bff.tests.client import Customer
from tests.support.databases import OpenDatabase
from youju.database_urls import ServiceDatabase, for_psycopg

pytestmark = pytest.mark.store

TABLES = ("conversation", "attempt", "feedback", "escalation", "outbox")


@pytest.fixture
def urls(shared_service_database: OpenDatabase) -> ServiceDatabase:
    return shared_service_database("bff")


@pytest.fixture
async def filled(customer: Customer) -> Customer:
    attempt = await customer.ask("answer")
    await customer.http.put(
        f"/v1/conversations/{attempt.conversation_id}/attempts/{attempt.attempt_id}/feedback",
        json={"rating": "HELPFUL"},
    )
    await customer.escalate(attempt)
    return customer


@pytest.fixture
async def sweeper(urls: ServiceDatabase) -> AsyncIterator[Database]:
    database = Database(urls.sweeper, pool_size=1)
    yield database
    await database.close()


@pytest.fixture
def owner(urls: ServiceDatabase) -> Iterator[psycopg.Connection]:
    with psycopg.connect(for_psycopg(urls.owner)) as connection:
        yield connection


def test_the_migrations_make_the_tables_the_code_describes(urls: ServiceDatabase) -> None:
    engine = create_engine(urls.owner, poolclass=NullPool)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_server_default": False})
        differences = compare_metadata(context, METADATA)

    assert differences == []


@pytest.mark.parametrize("table", TABLES)
async def test_without_a_tenant_there_are_no_rows(filled: Customer, clients: Clients, table: str) -> None:
    assert filled.tenant
    counting = text(f"SELECT count(*) FROM {table}")  # noqa: S608 - a name from the list above

    async with clients.database.transaction(filled.tenant) as connection:
        mine = (await connection.execute(counting)).scalar_one()
    async with clients.database.transaction("somebody-else") as connection:
        others = (await connection.execute(counting)).scalar_one()
    async with clients.database.sweep() as connection:
        nobodys = (await connection.execute(counting)).scalar_one()

    # A judgement and a wish are told to knowledge, and the wish to ticketing.
    assert (mine, others, nobodys) == (3 if table == "outbox" else 1, 0, 0)


@pytest.mark.parametrize("table", TABLES)
def test_not_even_the_owner_sees_rows(filled: Customer, owner: psycopg.Connection, table: str) -> None:
    assert filled.tenant
    row = owner.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()  # noqa: S608 - as above

    assert row == (0,)


@pytest.mark.parametrize("table", ["conversation", "feedback", "escalation"])
async def test_the_sweeper_sees_nothing_of_what_is_no_lease(sweeper: Database, table: str) -> None:
    with pytest.raises(Exception, match="permission denied"):
        async with sweeper.sweep() as connection:
            await connection.execute(text(f"SELECT count(*) FROM {table}"))  # noqa: S608 - as above


@pytest.mark.parametrize(("table", "column"), [("attempt", "question"), ("outbox", "data")])
async def test_the_sweeper_sees_no_text(sweeper: Database, filled: Customer, table: str, column: str) -> None:
    assert filled.tenant
    async with sweeper.sweep() as connection:
        assert (await connection.execute(text(f"SELECT count(id) FROM {table}"))).scalar_one() >= 1  # noqa: S608 - as above
    with pytest.raises(Exception, match="permission denied"):
        async with sweeper.sweep() as connection:
            await connection.execute(text(f"SELECT {column} FROM {table}"))  # noqa: S608 - as above


async def test_the_database_itself_allows_one_open_escalation(filled: Customer, clients: Clients) -> None:
    copying = text(
        "INSERT INTO escalation (id, tenant, customer, conversation_id, attempt_id, origin)"
        " SELECT :id, tenant, customer, conversation_id, attempt_id, origin FROM escalation"
    )

    with pytest.raises(IntegrityError, match="uq_escalation_open"):
        async with clients.database.transaction(filled.tenant) as connection:
            await connection.execute(copying, {"id": uuid7()})


async def test_the_database_itself_allows_one_pending_attempt(filled: Customer, clients: Clients) -> None:
    copying = text(
        "INSERT INTO attempt (id, tenant, customer, channel, conversation_id, lineage_id, question, language, as_of,"
        " asked_at, typed_facts, trace_id) SELECT :id, tenant, customer, channel, conversation_id, :id, question,"
        " language, as_of, asked_at, typed_facts, trace_id FROM attempt LIMIT 1"
    )

    with pytest.raises(IntegrityError, match="uq_attempt_pending"):
        async with clients.database.transaction(filled.tenant) as connection:
            for _ in range(2):
                await connection.execute(copying, {"id": uuid7()})
