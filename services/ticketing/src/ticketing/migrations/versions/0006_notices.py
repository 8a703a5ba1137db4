"""Let a ticket that is asked about be found by what its helpdesk calls it."""

from alembic import op

revision = "0006"
down_revision = "0005"

INDEX = """
CREATE INDEX ix_ticket_external ON ticket (tenant, helpdesk, external_id) WHERE poll_at IS NOT NULL
"""


def upgrade() -> None:
    op.execute(INDEX)


def downgrade() -> None:
    op.execute("DROP INDEX ix_ticket_external")
