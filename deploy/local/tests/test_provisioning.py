"""Provisioning gives each service a database whose app role owns nothing and sees what the owner makes."""

import psycopg
import pytest

from tests.support.databases import Databases
from youju.database_urls import Passwords, ServiceDatabase, for_psycopg
from youju.provisioning import provision

pytestmark = pytest.mark.store

_AGAIN = Passwords(owner="made-up", app="made-up", sweeper="made-up")


@pytest.fixture
def knowledge(databases: Databases) -> ServiceDatabase:
    name, database = databases.empty("knowledge")
    with psycopg.connect(for_psycopg(database.owner)) as owner:
        owner.execute("CREATE TABLE shelf (number bigserial PRIMARY KEY, v vector(2))")
    assert name in database.owner
    return database


def test_the_app_role_uses_tables_the_owner_makes_later(knowledge: ServiceDatabase) -> None:
    with psycopg.connect(for_psycopg(knowledge.app)) as app:
        app.execute("INSERT INTO shelf (v) VALUES ('[1,2]')")
        app.execute("UPDATE shelf SET v = '[2,1]'")

        assert app.execute("SELECT number FROM shelf").fetchone() == (1,)
        app.execute("DELETE FROM shelf")


def test_the_app_role_has_no_power_of_its_own(knowledge: ServiceDatabase) -> None:
    with psycopg.connect(for_psycopg(knowledge.app)) as app:
        row = app.execute(
            "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = current_user"
        ).fetchone()

        assert row == (False, False, False, False)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            app.execute("CREATE TABLE mine (n int)")


def test_the_sweeper_sees_nothing_until_a_migration_grants_it(knowledge: ServiceDatabase) -> None:
    with (
        psycopg.connect(for_psycopg(knowledge.sweeper)) as sweeper,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        sweeper.execute("SELECT number FROM shelf")


def test_provisioning_twice_changes_nothing(databases: Databases, postgres_admin_url: str) -> None:
    name, first = databases.empty("bff")

    second = provision(postgres_admin_url, "bff", database=name, passwords=_AGAIN)

    assert second == first


def test_a_role_of_one_service_cannot_enter_the_database_of_another(databases: Databases) -> None:
    _, bff = databases.empty("bff")
    _, ticketing = databases.empty("ticketing")
    name = bff.app.partition("youju_test_")[2].partition("?")[0]

    with pytest.raises(psycopg.OperationalError, match="permission denied"):
        psycopg.connect(for_psycopg(ticketing.app, f"youju_test_{name}"))
