"""What was masked in a revision, and what an owner lets stay."""

from alembic import op

from runtime.database import tenant_policy

revision = "0004"
down_revision = "0003"

_CREATE = (
    """CREATE TABLE mask (
        tenant text, revision uuid, source_start integer, source_end integer NOT NULL,
        kind text NOT NULL, value_hash text NOT NULL CHECK (value_hash ~ '^[0-9a-f]{64}$'),
        PRIMARY KEY (tenant, revision, source_start), CHECK (0 <= source_start AND source_start < source_end),
        FOREIGN KEY (tenant, revision) REFERENCES revision (tenant, id) ON DELETE CASCADE)""",
    """CREATE TABLE mask_allowance (
        tenant text, value_hash text CHECK (value_hash ~ '^[0-9a-f]{64}$'), allowed_by text NOT NULL,
        allowed_at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (tenant, value_hash))""",
)
_TABLES = ("mask", "mask_allowance")


def upgrade() -> None:
    for statement in _CREATE:
        op.execute(statement)
    for table in _TABLES:
        for statement in tenant_policy(table):
            op.execute(statement)


def downgrade() -> None:
    for table in reversed(_TABLES):
        op.execute(f"DROP TABLE {table}")
