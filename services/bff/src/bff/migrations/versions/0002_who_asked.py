"""Keep with an attempt what the customer's token said: the segments it may see, and the facts that count."""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE attempt ADD COLUMN segments jsonb NOT NULL DEFAULT '[\"public\"]'")
    op.execute("ALTER TABLE attempt ADD COLUMN facts jsonb NOT NULL DEFAULT '{}'")


def downgrade() -> None:
    op.execute("ALTER TABLE attempt DROP COLUMN facts, DROP COLUMN segments")
