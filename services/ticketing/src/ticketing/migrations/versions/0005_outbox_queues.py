"""Let the relay find what is due queue by queue."""

from alembic import op

revision = "0005"
down_revision = "0004"

_OPEN = "WHERE state <> 'ACKNOWLEDGED'"


def upgrade() -> None:
    op.execute("DROP INDEX ix_outbox_due")
    op.execute(f"CREATE INDEX ix_outbox_due ON outbox (queue, next_send_at) {_OPEN}")
    op.execute("GRANT SELECT (queue) ON outbox TO ticketing_sweeper")


def downgrade() -> None:
    op.execute("REVOKE SELECT (queue) ON outbox FROM ticketing_sweeper")
    op.execute("DROP INDEX ix_outbox_due")
    op.execute(f"CREATE INDEX ix_outbox_due ON outbox (next_send_at) {_OPEN}")
