"""A database with an outbox, parked messages and a note table, made the way a migration would."""

from collections.abc import AsyncIterator, Iterator

import pytest
from sqlalchemy import Column, DateTime, Table, Text, UniqueConstraint, create_engine, text

from runtime.database import Database, SyncDatabase, new_metadata, sweeper_policy, tenant_policy
from runtime.outbox import outbox_policies, outbox_table
from runtime.parking import failed_delivery_table, parked_message_table
from tests.support.databases import Databases
from youju.database_urls import ServiceDatabase

METADATA = new_metadata()
OUTBOX = outbox_table(METADATA)
PARKED = parked_message_table(
    METADATA,
    Column("body", Text()),
    Column("replayed_at", DateTime(timezone=True)),
    UniqueConstraint("tenant", "message_id"),
)
FAILED = failed_delivery_table(METADATA)
NOTES = Table("note", METADATA, Column("tenant", Text()), Column("words", Text()), Column("lease", Text()))


@pytest.fixture(scope="module")
def database(databases: Databases) -> Iterator[ServiceDatabase]:
    name, urls = databases.empty("ticketing")
    owner = create_engine(urls.owner)
    with owner.begin() as connection:
        METADATA.create_all(connection)
        notes = (*tenant_policy("note"), *sweeper_policy("note", role="ticketing_sweeper", columns=("tenant", "lease")))
        aside = (*tenant_policy("parked_message"), *tenant_policy("failed_delivery"))
        for statement in (*outbox_policies("ticketing_sweeper"), *notes, *aside):
            connection.execute(text(statement))
    owner.dispose()
    yield urls
    databases.drop(name)


@pytest.fixture
async def app(database: ServiceDatabase) -> AsyncIterator[Database]:
    opened = Database(database.app, pool_size=2)
    yield opened
    await opened.close()


@pytest.fixture
async def sweeper(database: ServiceDatabase) -> AsyncIterator[Database]:
    opened = Database(database.sweeper, pool_size=2)
    yield opened
    await opened.close()


@pytest.fixture
def sync_app(database: ServiceDatabase) -> Iterator[SyncDatabase]:
    opened = SyncDatabase(database.app, pool_size=2)
    yield opened
    opened.close()
