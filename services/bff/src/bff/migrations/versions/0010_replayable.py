"""Keep what parked messages say, so that they can be sent through again."""

from alembic import op

revision = "0010"
down_revision = "0008"


def upgrade() -> None:
    op.execute("ALTER TABLE parked_message ADD COLUMN body text, ADD COLUMN replayed_at timestamptz")


def downgrade() -> None:
    op.execute("ALTER TABLE parked_message DROP COLUMN body, DROP COLUMN replayed_at")
