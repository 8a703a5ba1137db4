"""Remember which attempts were erased, so that an order that comes late opens no ticket."""

from alembic import op

from runtime.database import tenant_policy

revision = "0004"
down_revision = "0002"

ERASED_ATTEMPT = """
CREATE TABLE erased_attempt (
    tenant text NOT NULL,
    attempt_id text NOT NULL,
    erased_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT pk_erased_attempt PRIMARY KEY (tenant, attempt_id)
)
"""


def upgrade() -> None:
    op.execute(ERASED_ATTEMPT)
    for statement in tenant_policy("erased_attempt"):
        op.execute(statement)
    op.execute("CREATE INDEX ix_ticket_attempt ON ticket (tenant, attempt_id)")


def downgrade() -> None:
    op.execute("DROP INDEX ix_ticket_attempt")
    op.execute("DROP TABLE erased_attempt")
