"""Find what has grown old, and every message about an attempt, without reading the whole table."""

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.execute("CREATE INDEX ix_conversation_age ON conversation (tenant, created_at)")
    op.execute("CREATE INDEX ix_outbox_attempt ON outbox (tenant, attempt_id)")


def downgrade() -> None:
    op.execute("DROP INDEX ix_outbox_attempt")
    op.execute("DROP INDEX ix_conversation_age")
