"""A clock of the database that a test can set: all that the product asks for the time then hears this one.

Functions of a schema that is named before `pg_catalog` are found first.
"""

from dataclasses import dataclass
from typing import Final

import psycopg
from psycopg.sql import SQL, Identifier
from sqlalchemy.engine import make_url

from youju.database_urls import ServiceDatabase, for_psycopg

_SCHEMA: Final = """
CREATE SCHEMA stepping;
CREATE TABLE stepping.clock (ahead interval NOT NULL);
INSERT INTO stepping.clock VALUES ('0');
CREATE FUNCTION stepping.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
  AS 'SELECT pg_catalog.clock_timestamp() + ahead FROM stepping.clock';
GRANT USAGE ON SCHEMA stepping TO PUBLIC;
GRANT SELECT ON stepping.clock TO PUBLIC;
ALTER TABLE ticket_try ALTER COLUMN started_at SET DEFAULT stepping.clock_timestamp();
"""


@dataclass(frozen=True)
class DatabaseClock:
    """The clock of one database, opened as its superuser."""

    url: str

    def set_by(self, seconds: float) -> None:
        """Set the clock forward, or back."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("UPDATE stepping.clock SET ahead = ahead + %s * interval '1 second'", (seconds,))

    def set_right(self) -> None:
        """Let the clock show the time again."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("UPDATE stepping.clock SET ahead = '0'")


def install_clock(admin_url: str, database: ServiceDatabase) -> DatabaseClock:
    """Put a clock that can be set before that of the server, for whoever connects to this database from now on."""
    name = str(make_url(database.app).database)
    clock = DatabaseClock(for_psycopg(admin_url, name))
    with psycopg.connect(clock.url, autocommit=True) as connection:
        connection.execute(_SCHEMA.encode())
        first = SQL("ALTER DATABASE {} SET search_path = stepping, pg_catalog, public")
        connection.execute(first.format(Identifier(name)))
    return clock
