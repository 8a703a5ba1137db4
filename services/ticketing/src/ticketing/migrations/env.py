"""Run the pending migrations on the connection that `runtime.migrating` opened."""

from alembic import context

from runtime.migrating import run_migrations
from ticketing.tables import METADATA

run_migrations(context.config.attributes["connection"], metadata=METADATA)
