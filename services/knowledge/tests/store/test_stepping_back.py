"""A migration can be taken back and made again over what tenants have stored."""

from collections.abc import Callable
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

import knowledge.migrations
from runtime.database import SyncDatabase
from tests.support.databases import Databases

pytestmark = pytest.mark.store

_CACHED = """
INSERT INTO vector_cache (tenant, embedder, text_sha256, embedding)
VALUES (:tenant, 'e', 'h', CAST(array_fill(0.5::real, ARRAY[:dimension]) AS halfvec))
"""


_IMPORT = """
INSERT INTO import_job (tenant, id, state, step, additive, routing_policy, created_by)
VALUES (:tenant, gen_random_uuid(), 'RECEIVING', 'READ', false, '', 'ann')
"""


def _migrate(owner_url: str, move: Callable[[Config, str], None], revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(knowledge.migrations.__path__[0])).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    with create_engine(owner_url, poolclass=NullPool).connect() as connection:
        config.attributes["connection"] = connection
        move(config, revision)


def _tables(owner_url: str) -> set[str]:
    with create_engine(owner_url, poolclass=NullPool).connect() as connection:
        return set(connection.execute(text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).scalars())


def test_vectors_of_a_second_arm_do_not_bar_the_way_back(databases: Databases, tenant: str) -> None:
    _, urls = databases.clone("knowledge")
    database = SyncDatabase(urls.app, pool_size=1)
    with database.transaction(tenant) as connection:
        connection.execute(text(_CACHED), {"tenant": tenant, "dimension": 384})
    database.close()

    _migrate(urls.owner, command.downgrade, "0006")
    without = _tables(urls.owner)
    _migrate(urls.owner, command.upgrade, "head")

    assert "passage_vector_384" not in without
    assert "passage_vector_384" in _tables(urls.owner)


@pytest.mark.parametrize("revision", ["0003", "0004", "0005", "0006", "0008", "0011"])
def test_every_step_back_can_be_made_again(databases: Databases, revision: str) -> None:
    _, urls = databases.clone("knowledge")
    before = _tables(urls.owner)

    _migrate(urls.owner, command.downgrade, revision)
    without = _tables(urls.owner)
    _migrate(urls.owner, command.upgrade, "head")

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

    with pytest.raises(RuntimeError, match="wait to be read"):
        _migrate(urls.owner, command.downgrade, "0008")
