"""Move a test database between the migrations of its service."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine
from sqlalchemy.pool import NullPool


@dataclass(frozen=True)
class Moving:
    """A database on its way, seen as its owner."""

    connection: Connection
    upgrade: Callable[[str], None]
    downgrade: Callable[[str], None]


@contextmanager
def moving(migrations: ModuleType, owner_url: str) -> Generator[Moving]:
    """Open a database to be moved with a service's package of migrations."""
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__path__[0])).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    with create_engine(owner_url, poolclass=NullPool).connect() as connection:
        config.attributes["connection"] = connection
        yield Moving(
            connection,
            upgrade=lambda revision: command.upgrade(config, revision),
            downgrade=lambda revision: command.downgrade(config, revision),
        )
