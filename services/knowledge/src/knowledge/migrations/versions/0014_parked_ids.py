"""Give parked messages an id of their own, as those of the other services have."""

from alembic import op

revision = "0014"
down_revision = "0013"

# Row-level security is forced on the owner as on everybody, so it is lifted for this one statement.
_UPGRADE = (
    "ALTER TABLE parked_message ADD COLUMN id uuid",
    "ALTER TABLE parked_message NO FORCE ROW LEVEL SECURITY",
    "UPDATE parked_message SET id = uuidv7(parked_at - clock_timestamp())",
    "ALTER TABLE parked_message FORCE ROW LEVEL SECURITY",
    "ALTER TABLE parked_message DROP CONSTRAINT parked_message_pkey",
    "ALTER TABLE parked_message ADD CONSTRAINT pk_parked_message PRIMARY KEY (id)",
    "ALTER TABLE parked_message ADD CONSTRAINT uq_parked_message_tenant_message_id UNIQUE (tenant, message_id)",
)
_DOWNGRADE = (
    "ALTER TABLE parked_message DROP COLUMN id",
    "ALTER TABLE parked_message DROP CONSTRAINT uq_parked_message_tenant_message_id",
    "ALTER TABLE parked_message ADD CONSTRAINT parked_message_pkey PRIMARY KEY (tenant, message_id)",
)


def upgrade() -> None:
    """Order what is there by when it was parked."""
    for statement in _UPGRADE:
        op.execute(statement)


def downgrade() -> None:
    """Tell messages apart by their own ids again."""
    for statement in _DOWNGRADE:
        op.execute(statement)
