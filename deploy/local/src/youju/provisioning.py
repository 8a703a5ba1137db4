"""Prepare one database and three roles for a service, on the embedded or any other Postgres.

Repeat: everything that exists already is left, only passwords and grants are written again.
"""

from contextlib import suppress
from typing import Final, LiteralString

import psycopg
from psycopg.sql import SQL, Composed, Identifier, Literal

from youju.database_urls import Passwords, ServiceDatabase, for_psycopg, reason_of, urls
from youju.trouble import Trouble

# The builtin C.UTF-8 locale, which sorts alike on every machine, came with this release.
_OLDEST_POSTGRES: Final = 170_000
# Any number that nothing else locks: two provisionings at once would both create the same role.
_LOCK: Final = 7_904_105
_DATABASE: Final = "ENCODING 'UTF8' LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C' TEMPLATE template0"


def provision(admin_url: str, service: str, *, database: str, passwords: Passwords) -> ServiceDatabase:
    """Create what a service's migrations need and return the URLs to use from then on.

    Errors: Trouble when the server cannot be reached, is too old, or lacks pgvector for knowledge.
    """
    owner, app, sweeper = (f"{service}_{kind}" for kind in ("owner", "app", "sweeper"))
    with _connected(for_psycopg(admin_url)) as admin:
        _refuse_old(admin)
        admin.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
        for role, password in ((owner, passwords.owner), (app, passwords.app), (sweeper, passwords.sweeper)):
            _write_role(admin, role, password)
        _run(admin, "GRANT {} TO CURRENT_USER", owner)
        if admin.execute("SELECT FROM pg_database WHERE datname = %s", (database,)).fetchone() is None:
            _run(admin, "CREATE DATABASE {} OWNER {} " + _DATABASE, database, owner)
        _run(admin, "REVOKE ALL ON DATABASE {} FROM PUBLIC", database)
        _run(admin, "GRANT CONNECT ON DATABASE {} TO {}, {}, {}", database, owner, app, sweeper)
        with psycopg.connect(for_psycopg(admin_url, database), autocommit=True) as inside:
            _prepare_schema(inside, service)
    return urls(admin_url, service, database=database, passwords=passwords)


def _connected(url: str) -> psycopg.Connection:
    try:
        return psycopg.connect(url, autocommit=True)
    except psycopg.Error as refused:
        raise Trouble(f"Postgres does not let an administrator in: {reason_of(refused)}.") from refused


def _refuse_old(admin: psycopg.Connection) -> None:
    if admin.info.server_version < _OLDEST_POSTGRES:
        raise Trouble(
            f"Postgres 17 or newer is needed; this server is {admin.info.parameter_status('server_version')}."
        )


def _write_role(admin: psycopg.Connection, role: str, password: str) -> None:
    if admin.execute("SELECT FROM pg_roles WHERE rolname = %s", (role,)).fetchone() is None:
        _run(admin, "CREATE ROLE {}", role)
    admin.execute(SQL("ALTER ROLE {} LOGIN PASSWORD {}").format(Identifier(role), Literal(password)))


def _prepare_schema(inside: psycopg.Connection, service: str) -> None:
    owner, app, sweeper = (f"{service}_{kind}" for kind in ("owner", "app", "sweeper"))
    if service == "knowledge":
        _create_vector(inside)
        _create_prewarm(inside)
    _run(inside, "ALTER SCHEMA public OWNER TO {}", owner)
    _run(inside, "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    _run(inside, "GRANT USAGE ON SCHEMA public TO {}, {}", app, sweeper)
    defaults: LiteralString = "ALTER DEFAULT PRIVILEGES FOR ROLE {} IN SCHEMA public GRANT "
    _run(inside, defaults + "SELECT, INSERT, UPDATE, DELETE ON TABLES TO {}", owner, app)
    _run(inside, defaults + "USAGE, SELECT ON SEQUENCES TO {}", owner, app)


def _create_vector(inside: psycopg.Connection) -> None:
    try:
        inside.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except psycopg.errors.FeatureNotSupported as missing:
        raise Trouble("This Postgres has no pgvector: install the extension `vector` on the server.") from missing


def _create_prewarm(inside: psycopg.Connection) -> None:
    # Only the first questions after a publication are slower without it.
    with suppress(psycopg.errors.FeatureNotSupported, psycopg.errors.UndefinedFile):
        inside.execute("CREATE EXTENSION IF NOT EXISTS pg_prewarm")


def _run(connection: psycopg.Connection, statement: LiteralString, *names: str) -> None:
    composed: Composed = SQL(statement).format(*(Identifier(name) for name in names))
    connection.execute(composed)
