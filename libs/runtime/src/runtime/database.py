"""Postgres: two engines with the same promises, tenants by row-level security, one transaction per edge.

The tenant is set by a transaction-local `set_config` as the first statement of every transaction; a transaction
without one sees no row. Services connect as their `app` role; a role that could look past the policies is refused.
"""

import json
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final

import psycopg
from sqlalchemy import Connection, Engine, MetaData, create_engine, text
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from contracts.errors import UnavailableError
from runtime.ending import hear_cancellation
from runtime.liveness import refuse_lost_connections
from runtime.round_trips import Ask, Rows, ask_together
from runtime.settings import SettingsError

_TENANT_SETTING: Final = "SELECT set_config('youju.tenant', :tenant, true)"
_SET_TENANT: Final = text(_TENANT_SETTING)
_SET_LIMIT: Final = text("SELECT set_config('statement_timeout', :limit, false)")
_UNSAFE_ROLE: Final = text("SELECT rolname FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolbypassrls)")
_CONNECT_TIMEOUT_SECONDS: Final = 5
# The class of program limits among the codes of SQL states.
_TOO_LARGE: Final = "54"

NAMING: Final = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class UnsafeRoleError(SettingsError):
    """This database role could read past the tenant policies; connect as the app role."""

    def __init__(self, role: str) -> None:
        """Name the role."""
        super().__init__(
            (f"The database role {role} could read past the policies of tenants: connect as the app role.",)
        )


def new_metadata() -> MetaData:
    """Make the metadata of a service, with constraint names that migrations can rely on."""
    return MetaData(naming_convention=NAMING)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Database:
    """The async engine of an HTTP edge or a pulse."""

    def __init__(self, url: str, *, pool_size: int) -> None:
        """Prepare a pool; nothing connects yet."""
        self.engine: AsyncEngine = create_async_engine(url, **_options(pool_size))
        refuse_lost_connections(self.engine.sync_engine)

    @asynccontextmanager
    async def transaction(self, tenant: str) -> AsyncGenerator[AsyncConnection]:
        """Open one transaction for one tenant; commit at the end, roll back on any error.

        Errors: UnavailableError when the database cannot be reached.
        """
        with _translated(), hear_cancellation():
            async with self.engine.connect() as connection, connection.begin():
                await connection.execute(_SET_TENANT, {"tenant": tenant})
                yield connection

    @asynccontextmanager
    async def snapshot(self, tenant: str) -> AsyncGenerator[AsyncConnection]:
        """Open one REPEATABLE READ READ ONLY transaction: everything read in it is of one moment."""
        async with self.asking(tenant, ()) as (connection, _):
            yield connection

    @asynccontextmanager
    async def asking(self, tenant: str, asks: Sequence[Ask]) -> AsyncGenerator[tuple[AsyncConnection, list[Rows]]]:
        """Open a snapshot and ask these in the round trip that opens it; their answers come with it."""
        with _translated(), hear_cancellation():
            async with self.engine.connect() as plain:
                connection = await plain.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
                async with connection.begin():
                    first = Ask(_TENANT_SETTING, {"tenant": tenant})
                    _, *answers = await ask_together(connection, [first, *asks])
                    yield connection, answers

    @asynccontextmanager
    async def sweep(self) -> AsyncGenerator[AsyncConnection]:
        """Open a transaction without a tenant: for the sweeper role, whose policies show lease columns only."""
        with _translated(), hear_cancellation():
            async with self.engine.connect() as connection, connection.begin():
                yield connection

    async def refuse_unsafe_role(self) -> None:
        """Stop the start when the role is a superuser or may bypass row-level security. Errors: UnsafeRoleError."""
        async with self.sweep() as connection:
            if role := (await connection.execute(_UNSAFE_ROLE)).scalar():
                raise UnsafeRoleError(role)

    async def ping(self) -> None:
        """Ask the database for one row. Errors: UnavailableError."""
        async with self.sweep() as connection:
            await connection.execute(text("SELECT 1"))

    async def close(self) -> None:
        """Give all connections back."""
        await self.engine.dispose()


class SyncDatabase:
    """The engine of a Celery worker; the same promises as Database."""

    def __init__(self, url: str, *, pool_size: int) -> None:
        """Prepare a pool; nothing connects yet."""
        self.engine: Engine = create_engine(url, **_options(pool_size))
        refuse_lost_connections(self.engine)

    @contextmanager
    def transaction(self, tenant: str) -> Generator[Connection]:
        """Open one transaction for one tenant; commit at the end, roll back on any error."""
        with _translated(), self.engine.connect() as connection, connection.begin():
            connection.execute(_SET_TENANT, {"tenant": tenant})
            yield connection

    @contextmanager
    def upkeep(self, *, seconds: int) -> Generator[Connection]:
        """Open a connection outside of transactions, for ANALYZE and VACUUM; each statement ends after some seconds."""
        with _translated(), self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(_SET_LIMIT, {"limit": f"{seconds}s"})
            try:
                yield connection
            finally:
                connection.execute(text("RESET statement_timeout"))

    def refuse_unsafe_role(self) -> None:
        """Stop the start when the role is a superuser or may bypass row-level security. Errors: UnsafeRoleError."""
        with _translated(), self.engine.connect() as connection:
            if role := connection.execute(_UNSAFE_ROLE).scalar():
                raise UnsafeRoleError(role)

    def ping(self) -> None:
        """Ask the database for one row. Errors: UnavailableError."""
        with _translated(), self.engine.connect() as connection:
            connection.execute(text("SELECT 1"))

    def close(self) -> None:
        """Give all connections back."""
        self.engine.dispose()


def tenant_policy(table: str) -> tuple[str, ...]:
    """Give the statements that shut a table to all but the transaction's tenant, its owner included.

    `nullif` matters: after a transaction the setting is an empty string, which must not match anything.
    """
    return (
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY",
        (
            f"CREATE POLICY tenant ON {table} USING (tenant = nullif(current_setting('youju.tenant', true), ''))"
            " WITH CHECK (tenant = nullif(current_setting('youju.tenant', true), ''))"
        ),
    )


def sweeper_policy(table: str, *, role: str, columns: tuple[str, ...]) -> tuple[str, ...]:
    """Give the statements that let the sweeper read the named columns of every tenant, and nothing else."""
    return (
        f"GRANT SELECT ({', '.join(columns)}) ON {table} TO {role}",
        f"CREATE POLICY sweeper ON {table} FOR SELECT TO {role} USING (true)",
    )


def _options(pool_size: int) -> dict[str, Any]:  # keyword arguments of two SQLAlchemy factories
    return {
        "pool_size": pool_size,
        "max_overflow": 0,
        "pool_timeout": _CONNECT_TIMEOUT_SECONDS,
        "json_serializer": _json,
        # An error's message goes to the log; what a customer wrote does not.
        "hide_parameters": True,
        "connect_args": {"connect_timeout": _CONNECT_TIMEOUT_SECONDS},
    }


@contextmanager
def _translated() -> Generator[None]:
    try:
        yield
    except (OperationalError, InterfaceError, psycopg.OperationalError, psycopg.InterfaceError) as lost:
        # What is too large for the database counts among its own troubles to the driver; coming again does not heal it.
        if str(getattr(getattr(lost, "orig", lost), "sqlstate", None)).startswith(_TOO_LARGE):
            raise
        raise UnavailableError from lost
    except DBAPIError as failed:
        if failed.connection_invalidated:
            raise UnavailableError from failed
        raise
    except PoolTimeoutError as exhausted:
        raise UnavailableError from exhausted
