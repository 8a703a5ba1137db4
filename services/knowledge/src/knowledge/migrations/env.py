"""What Alembic runs: the pending migrations on the connection it is handed."""

from alembic import context

from runtime.database import new_metadata
from runtime.migrating import run_migrations

# The migrations are written by hand, so Alembic needs no description of the tables.
run_migrations(context.config.attributes["connection"], metadata=new_metadata())
