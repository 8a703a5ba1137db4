"""Runs a service's Alembic migrations: one at a time, as the owner, with a short patience for locks."""

import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, MetaData, create_engine, text
from sqlalchemy.pool import NullPool

from contracts.errors import YoujuError
from runtime.database import Database

# One number for all services: each has its own database, and advisory locks are per database.
_LOCK: Final = 0x796F756A75  # "youju"


class NotMigratedError(YoujuError):
    """The database is not at the revision this code needs."""

    code = "NOT_MIGRATED"


def migrate_as_owner(service: str, *, folder: Path) -> int:
    """Migrate the database that the environment names, say which revision it is at, and return the exit status."""
    url = owner_url(service, os.environ)
    if url is None:
        sys.stderr.write(f"{_owner_setting(service)} is not set.\n")
        return 2
    sys.stdout.write(f"{service} is at {migrate(url, folder=folder)}\n")
    return 0


def owner_url(service: str, given: Mapping[str, str]) -> str | None:
    """Find the owner's URL of a service's database: YOUJU_…_OWNER_DATABASE_URL, or the content of its `_FILE`."""
    setting = _owner_setting(service)
    if file := given.get(f"{setting}_FILE"):
        return given.get(setting) or Path(file).read_text(encoding="utf-8").strip()
    return given.get(setting) or None


def migrate(url: str, *, folder: Path) -> str:
    """Bring a database to the newest revision and name it. Repeat: a second call finds nothing to do."""
    config = _config(folder)
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        connection.execute(text("SELECT pg_advisory_lock(:lock)"), {"lock": _LOCK})
        connection.commit()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        connection.execute(text("SELECT pg_advisory_unlock(:lock)"), {"lock": _LOCK})
        connection.commit()
        return newest_revision(folder)


def run_migrations(connection: Connection, *, metadata: MetaData) -> None:
    """Run the pending migrations on a connection: what each service's `env.py` calls."""
    from alembic import context  # noqa: PLC0415 - Alembic's proxy exists only while it runs env.py

    connection.execute(text("SET lock_timeout = '5s'"))
    connection.commit()
    context.configure(connection=connection, target_metadata=metadata, transaction_per_migration=True)
    with context.begin_transaction():
        context.run_migrations()


def newest_revision(folder: Path) -> str:
    """Name the newest revision the code knows."""
    return str(ScriptDirectory.from_config(_config(folder)).get_current_head())


def applied_revision(connection: Connection) -> str | None:
    """Name the revision a database is at, or None for an empty one."""
    return MigrationContext.configure(connection).get_current_revision()


def newest_migration(database: Database, *, folder: Path) -> Callable[[], Awaitable[None]]:
    """Make a readiness check. Errors of the check: NotMigratedError, UnavailableError."""
    needed = newest_revision(folder)

    async def check() -> None:
        async with database.sweep() as connection:
            if await connection.run_sync(applied_revision) != needed:
                raise NotMigratedError

    return check


def _owner_setting(service: str) -> str:
    return f"YOUJU_{service.upper()}_OWNER_DATABASE_URL"


def _config(folder: Path) -> Config:
    config = Config()
    # Alembic reads a percent sign as the start of a reference.
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
