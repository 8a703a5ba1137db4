"""A migration can be taken back and made again over what tenants have stored."""

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

import knowledge.migrations
from runtime.database import SyncDatabase
from tests.support.databases import Databases
from tests.support.migrations import moving

pytestmark = pytest.mark.store

_CACHED = """
INSERT INTO vector_cache (tenant, embedder, text_sha256, embedding)
VALUES (:tenant, 'e', 'h', CAST(array_fill(0.5::real, ARRAY[:dimension]) AS halfvec))
"""


_PARKED = """
INSERT INTO parked_message (id, tenant, message_id, type, source, reason, detail, parked_at)
VALUES (gen_random_uuid(), :tenant, :message_id, 't', 'bff', 'POISON', 'd', now() - CAST(:age AS interval))
"""
_IMPORT = """
INSERT INTO import_job (tenant, id, state, step, additive, routing_policy, created_by)
VALUES (:tenant, gen_random_uuid(), 'RECEIVING', 'READ', false, '', 'ann')
"""


def _tables(owner_url: str) -> set[str]:
    with create_engine(owner_url, poolclass=NullPool).connect() as connection:
        return set(connection.execute(text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).scalars())


def test_vectors_of_a_second_arm_do_not_bar_the_way_back(databases: Databases, tenant: str) -> None:
    _, urls = databases.clone("knowledge")
    database = SyncDatabase(urls.app, pool_size=1)
    with database.transaction(tenant) as connection:
        connection.execute(text(_CACHED), {"tenant": tenant, "dimension": 384})
    database.close()

    with moving(knowledge.migrations, urls.owner) as move:
        move.downgrade("0006")
    without = _tables(urls.owner)
    with moving(knowledge.migrations, urls.owner) as move:
        move.upgrade("head")

    assert "passage_vector_384" not in without
    assert "passage_vector_384" in _tables(urls.owner)


@pytest.mark.parametrize("revision", ["0003", "0004", "0005", "0006", "0008", "0011"])
def test_every_step_back_can_be_made_again(databases: Databases, revision: str) -> None:
    _, urls = databases.clone("knowledge")
    before = _tables(urls.owner)

    with moving(knowledge.migrations, urls.owner) as move:
        move.downgrade(revision)
    without = _tables(urls.owner)
    with moving(knowledge.migrations, urls.owner) as move:
        move.upgrade("head")

    assert without < before
    assert _tables(urls.owner) == before


@pytest.mark.parametrize(
    ("table", "columns", "values"),
    [
        ("import_file", "path, ordinal, size_bytes", "'a.md', 0, 1"),
        ("archive_part", "path, number", "'a.zip', 0"),
    ],
)
def test_the_way_back_is_barred_while_encrypted_files_wait(
    databases: Databases, tenant: str, table: str, columns: str, values: str
) -> None:
    _, urls = databases.clone("knowledge")
    database = SyncDatabase(urls.app, pool_size=1)
    with database.transaction(tenant) as connection:
        connection.execute(text(_IMPORT), {"tenant": tenant})
        waiting = (
            f"INSERT INTO {table} (tenant, import_id, content, key_id, {columns})"  # noqa: S608 - our own names
            f" SELECT tenant, id, 'sealed', 'k', {values} FROM import_job"
        )
        connection.execute(text(waiting))
    database.close()

    with pytest.raises(RuntimeError, match="wait to be read"), moving(knowledge.migrations, urls.owner) as move:
        move.downgrade("0008")


def test_messages_that_were_parked_before_they_had_ids_keep_their_order(databases: Databases, tenant: str) -> None:
    _, urls = databases.clone("knowledge")
    database = SyncDatabase(urls.app, pool_size=1)
    with database.transaction(tenant) as connection:
        for message_id, age in (("newer", "1 minute"), ("older", "1 day")):
            connection.execute(text(_PARKED), {"tenant": tenant, "message_id": message_id, "age": age})

    with moving(knowledge.migrations, urls.owner) as move:
        move.downgrade("0013")
        move.upgrade("head")

    with database.transaction(tenant) as connection:
        found = connection.execute(text("SELECT message_id FROM parked_message ORDER BY id")).scalars().all()
    database.close()
    assert found == ["older", "newer"]
