"""Give tests migrated databases of their own.

Each service is provisioned and migrated once a session, into a template. `service_database` clones it for the test
module that asks, which takes about a tenth of a second; `shared_service_database` clones it once for the session.
Inside a module, tests are kept apart by a tenant of their own (fixture `tenant`) or by rolling back.
"""

import os
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Final

import psycopg
import pytest
from psycopg.sql import SQL, Composed, Identifier

from youju.database_urls import Passwords, ServiceDatabase, for_psycopg, urls
from youju.provisioning import provision

_PASSWORDS: Final = Passwords(owner="made-up", app="made-up", sweeper="made-up")

OpenDatabase = Callable[[str], ServiceDatabase]


class Databases:
    """Templates and clones on one server, all named after one test session."""

    def __init__(self, admin_url: str) -> None:
        """Remember the server; nothing is created before it is asked for."""
        self._admin_url = admin_url
        self._session = f"youju_test_{secrets.token_hex(4)}"
        self._templates: dict[str, str] = {}
        self._made: list[str] = []

    def clone(self, service: str) -> tuple[str, ServiceDatabase]:
        """Copy the migrated database of a service; return the copy's name and URLs."""
        if service not in self._templates:
            self._templates[service] = self._migrated(service)
        name = self._new_name(service)
        statement = SQL("CREATE DATABASE {} TEMPLATE {} OWNER {}")
        names = (Identifier(each) for each in (name, self._templates[service], f"{service}_owner"))
        self._execute(statement.format(*names))
        return name, urls(self._admin_url, service, database=name, passwords=_PASSWORDS)

    def empty(self, service: str) -> tuple[str, ServiceDatabase]:
        """Provision a database without migrations; return its name and URLs."""
        name = self._new_name(service)
        return name, provision(self._admin_url, service, database=name, passwords=_PASSWORDS)

    def drop(self, name: str) -> None:
        """Remove a database whoever is still connected."""
        self._execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))

    def close(self) -> None:
        """Remove whatever is left."""
        for name in self._made:
            self.drop(name)

    def _new_name(self, service: str) -> str:
        self._made.append(f"{self._session}_{service}_{secrets.token_hex(4)}")
        return self._made[-1]

    def _migrated(self, service: str) -> str:
        name, database = self.empty(service)
        variable = f"YOUJU_{service.upper()}_OWNER_DATABASE_URL"
        run = subprocess.run(
            [sys.executable, "-m", f"{service}.migrations"],
            env={**os.environ, variable: database.owner},
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode != 0:
            pytest.fail(f"the migrations of {service} fail:\n{run.stdout}{run.stderr}")
        return name

    def _execute(self, statement: Composed) -> None:
        with psycopg.connect(for_psycopg(self._admin_url), autocommit=True) as admin:
            admin.execute(statement)


@pytest.fixture(scope="session")
def databases(postgres_admin_url: str) -> Iterator[Databases]:
    """Give the session's templates and clones."""
    made = Databases(postgres_admin_url)
    yield made
    made.close()


@pytest.fixture(scope="module")
def service_database(databases: Databases) -> Iterator[OpenDatabase]:
    """Give a function from a service's name to a migrated database that this module has for itself."""
    yield from _opener(databases)


@pytest.fixture(scope="session")
def shared_service_database(databases: Databases) -> Iterator[OpenDatabase]:
    """Give a function from a service's name to a migrated database that the whole session shares."""
    yield from _opener(databases)


@pytest.fixture
def tenant() -> str:
    """Give the name of a tenant no other test uses."""
    return f"tenant-{secrets.token_hex(6)}"


def _opener(databases: Databases) -> Iterator[OpenDatabase]:
    opened: dict[str, tuple[str, ServiceDatabase]] = {}

    def open_database(service: str) -> ServiceDatabase:
        if service not in opened:
            opened[service] = databases.clone(service)
        return opened[service][1]

    yield open_database
    for name, _ in opened.values():
        databases.drop(name)
