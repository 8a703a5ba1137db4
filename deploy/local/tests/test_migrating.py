"""Migrations run when something is new, and only then."""

import os
import secrets
from pathlib import Path

import psycopg
import pytest

from tests.support.databases import Databases
from youju.database_urls import for_psycopg
from youju.migrating import run_migrations

pytestmark = pytest.mark.store

_RUN = """
import os, pathlib, psycopg
with psycopg.connect(os.environ["SHELF"].replace("+psycopg", "")) as connection:
    connection.execute("CREATE TABLE IF NOT EXISTS alembic_version (version_num text)")
    connection.execute("INSERT INTO alembic_version SELECT '0001' WHERE NOT EXISTS (SELECT FROM alembic_version)")
with open(os.environ["RUNS"], "a") as runs:
    runs.write("run\\n")
"""


class Shelf:
    """A service with migrations that note each time they run."""

    def __init__(self, folder: Path, url: str) -> None:
        # Packages stay loaded from one test to the next, so each test has a service of its own name.
        name = f"shelf{secrets.token_hex(4)}"
        self.module = f"{name}.migrations"
        self.versions = folder / name / "migrations" / "versions"
        self.versions.mkdir(parents=True)
        self.url = url
        (folder / name / "__init__.py").touch()
        (self.versions.parent / "__init__.py").touch()
        (self.versions.parent / "__main__.py").write_text(_RUN)
        (self.versions / "0001_first.py").write_text("revision = '0001'\n")
        self._record = folder / "migrated.json"
        self._runs = folder / "runs"
        self._environment = {
            **os.environ,
            f"YOUJU_{name.upper()}_OWNER_DATABASE_URL": url,
            "SHELF": url,
            "RUNS": str(self._runs),
            "PYTHONPATH": str(folder),
        }

    def migrate(self) -> int:
        """Run what is pending and say how often the migrations have run so far."""
        run_migrations([self.module], self._environment, record=self._record)
        return len(self._runs.read_text().splitlines())


@pytest.fixture
def shelf(tmp_path: Path, databases: Databases, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    monkeypatch.syspath_prepend(str(tmp_path))
    return Shelf(tmp_path, databases.empty("bff")[1].owner)


def test_a_database_that_stands_where_it_should_is_left_alone(shelf: Shelf) -> None:
    assert [shelf.migrate(), shelf.migrate()] == [1, 1]


def test_a_changed_migration_runs_again(shelf: Shelf) -> None:
    shelf.migrate()
    (shelf.versions / "0002_second.py").write_text("revision = '0002'\n")

    assert shelf.migrate() == 2


def test_a_database_that_was_put_back_is_migrated_again(shelf: Shelf) -> None:
    shelf.migrate()
    with psycopg.connect(for_psycopg(shelf.url)) as connection:
        connection.execute("DROP TABLE alembic_version")

    assert shelf.migrate() == 2
