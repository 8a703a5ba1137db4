"""Dismissals of conflicts: which two sentences an owner has looked at, and why they may both stand."""

from alembic import op

from runtime.database import tenant_policy

revision = "0010"
down_revision = "0009"

# The key is a hash of both sentences and their documents: it outlives a version, and a changed sentence has another.
_CREATE = """CREATE TABLE conflict_dismissal (
    tenant text, pair_key text CHECK (length(pair_key) = 64), reason text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
    dismissed_by text NOT NULL, dismissed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant, pair_key))"""


def upgrade() -> None:
    """Create the table of dismissals."""
    op.execute(_CREATE)
    for statement in tenant_policy("conflict_dismissal"):
        op.execute(statement)


def downgrade() -> None:
    """Drop it; every conflict is open again."""
    op.execute("DROP TABLE conflict_dismissal")
