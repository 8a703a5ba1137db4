"""Keep how a customer may be reached with the attempt, and what ticketing said that could not be followed."""

from alembic import op

from runtime.database import tenant_policy

revision = "0007"
down_revision = "0006"

PARKED_MESSAGE = """
CREATE TABLE parked_message (
    id uuid NOT NULL,
    tenant text NOT NULL,
    message_id text NOT NULL,
    type text NOT NULL,
    attempt_id text,
    reason text NOT NULL,
    detail text NOT NULL,
    parked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT pk_parked_message PRIMARY KEY (id),
    CONSTRAINT uq_parked_message_tenant_message_id UNIQUE (tenant, message_id),
    CONSTRAINT ck_parked_message_reason CHECK (reason IN ('MALFORMED', 'UNKNOWN_VERSION', 'POISON'))
)
"""
FAILED_DELIVERY = """
CREATE TABLE failed_delivery (
    tenant text NOT NULL,
    message_id text NOT NULL,
    deliveries integer NOT NULL DEFAULT 1,
    error_class text NOT NULL,
    failed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT pk_failed_delivery PRIMARY KEY (tenant, message_id)
)
"""


def upgrade() -> None:
    op.execute("ALTER TABLE attempt ADD COLUMN contact jsonb")
    for statement in (PARKED_MESSAGE, FAILED_DELIVERY):
        op.execute(statement)
    for table in ("parked_message", "failed_delivery"):
        for statement in tenant_policy(table):
            op.execute(statement)


def downgrade() -> None:
    for table in ("failed_delivery", "parked_message"):
        op.execute(f"DROP TABLE {table}")
    op.execute("ALTER TABLE attempt DROP COLUMN contact")
