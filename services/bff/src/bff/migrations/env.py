"""What Alembic runs before the revisions. They are written by hand, so it needs no metadata."""

from alembic import context
from sqlalchemy import Connection, MetaData

from runtime.migrating import run_migrations

connection: Connection = context.config.attributes["connection"]
run_migrations(connection, metadata=MetaData())
