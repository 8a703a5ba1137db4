"""Whether a version was compared for conflicts only in part, so that whoever looks at it is told."""

from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Add the column; it is empty for what was built before."""
    op.execute("ALTER TABLE version ADD COLUMN conflicts_partial boolean")


def downgrade() -> None:
    """Drop it; versions compared in part say so no more."""
    op.execute("ALTER TABLE version DROP COLUMN conflicts_partial")
