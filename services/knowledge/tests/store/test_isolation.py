"""Row-level security of every table of knowledge, as the app role."""

import psycopg
import pytest

from tests.support.databases import OpenDatabase
from youju.database_urls import for_psycopg

pytestmark = pytest.mark.store

_TABLES = """
    SELECT c.relname, c.relrowsecurity AND c.relforcerowsecurity AS shut, c.relispartition,
           has_table_privilege('knowledge_app', c.oid, 'SELECT') AS readable
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND c.relname <> 'alembic_version'
"""


def test_every_table_is_shut_and_no_partition_is_readable(service_database: OpenDatabase) -> None:
    with psycopg.connect(for_psycopg(service_database("knowledge").owner)) as owner:
        tables = owner.execute(_TABLES).fetchall()

    assert len(tables) > 40
    assert [name for name, shut, _, _ in tables if not shut] == []
    assert [name for name, _, partition, readable in tables if partition and readable] == []


def test_a_tenant_sees_its_own_rows_only_and_nobody_sees_any(service_database: OpenDatabase) -> None:
    with psycopg.connect(for_psycopg(service_database("knowledge").app)) as app:
        _become(app, "a")
        app.execute("INSERT INTO posting VALUES ('a', 1, '018f0000-0000-7000-8000-000000000000', 1)")

        mine = _count(app)
        _become(app, "b")
        theirs = _count(app)
        app.commit()
        nobodys = _count(app)

    assert (mine, theirs, nobodys) == (1, 0, 0)


def test_a_row_for_another_tenant_is_refused(service_database: OpenDatabase) -> None:
    with psycopg.connect(for_psycopg(service_database("knowledge").app)) as app:
        _become(app, "a")

        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            app.execute("INSERT INTO posting VALUES ('b', 1, '018f0000-0000-7000-8000-000000000000', 1)")


def test_the_sweeper_reads_leases_and_nothing_else(service_database: OpenDatabase) -> None:
    with psycopg.connect(for_psycopg(service_database("knowledge").sweeper), autocommit=True) as sweeper:
        sweeper.execute("SELECT id, tenant, state, lease_until FROM import_job")

        for statement in ("SELECT routing_policy FROM import_job", "SELECT * FROM passage"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                sweeper.execute(statement)


def _become(app: psycopg.Connection, tenant: str) -> None:
    app.execute("SELECT set_config('youju.tenant', %s, true)", (tenant,))


def _count(app: psycopg.Connection) -> int:
    row = app.execute("SELECT count(*) FROM posting").fetchone()
    assert row is not None
    return int(row[0])
