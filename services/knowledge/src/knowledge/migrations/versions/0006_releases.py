"""Releases: evaluated, approved and discarded versions, hints of conflicts, the audit trail, and owner notices."""

from alembic import op

from runtime.database import sweeper_policy, tenant_policy

revision = "0006"
down_revision = "0005"

_APP = "knowledge_app"
_SWEEPER = "knowledge_sweeper"

_CREATE = (
    # The business day of the tenant on which a version's terms were counted and its vectors put into the graph.
    """ALTER TABLE version
        ADD built_day date, ADD evaluation jsonb, ADD evaluated_by text, ADD evaluated_at timestamptz,
        ADD approved_by text, ADD approved_at timestamptz, ADD discarded_by text, ADD discarded_at timestamptz""",
    # A hint names two sentences by their places, so that it holds no copy of a text that may be withdrawn.
    """CREATE TABLE conflict_hint (
        tenant text, version integer, ordinal integer, passage uuid NOT NULL, text_start integer NOT NULL,
        text_end integer NOT NULL, other_passage uuid NOT NULL, other_start integer NOT NULL,
        other_end integer NOT NULL, PRIMARY KEY (tenant, version, ordinal),
        FOREIGN KEY (tenant, version) REFERENCES version (tenant, number) ON DELETE CASCADE)""",
    """CREATE TABLE audit_event (
        tenant text, number bigint GENERATED ALWAYS AS IDENTITY, at timestamptz NOT NULL DEFAULT clock_timestamp(),
        actor text NOT NULL, roles text[] NOT NULL, act text NOT NULL, subject text NOT NULL, detail jsonb NOT NULL,
        PRIMARY KEY (tenant, number))""",
    "CREATE INDEX ix_audit_event_subject ON audit_event (tenant, subject, number)",
    """CREATE TABLE notice (
        tenant text, id uuid, kind text NOT NULL CHECK (kind IN ('OVERDUE', 'EXPIRING', 'CONFLICT')),
        subject text NOT NULL, period text NOT NULL, items jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (tenant, id), UNIQUE (tenant, kind, subject, period))""",
    """CREATE TABLE notice_delivery (
        tenant text, notice uuid, channel text CHECK (channel IN ('webhook', 'email')),
        state text NOT NULL DEFAULT 'PENDING' CHECK (state IN ('PENDING', 'DELIVERED', 'GIVEN_UP')),
        tries integer NOT NULL DEFAULT 0, due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        delivered_at timestamptz, reason text, PRIMARY KEY (tenant, notice, channel),
        FOREIGN KEY (tenant, notice) REFERENCES notice (tenant, id))""",
    "CREATE INDEX ix_notice_delivery_due ON notice_delivery (due_at) WHERE state = 'PENDING'",
)
_TABLES = ("conflict_hint", "audit_event", "notice", "notice_delivery")


def upgrade() -> None:
    for statement in _CREATE:
        op.execute(statement)
    for table in _TABLES:
        for statement in tenant_policy(table):
            op.execute(statement)
    # What happened stays as it was written.
    op.execute(f"REVOKE UPDATE, DELETE, TRUNCATE ON audit_event FROM {_APP}")
    columns = ("tenant", "notice", "channel", "state", "due_at")
    for statement in sweeper_policy("notice_delivery", role=_SWEEPER, columns=columns):
        op.execute(statement)


def downgrade() -> None:
    for table in reversed(_TABLES):
        op.execute(f"DROP TABLE {table}")
    for column in (
        "built_day", "evaluation", "evaluated_by", "evaluated_at", "approved_by", "approved_at", "discarded_by",
        "discarded_at",
    ):  # fmt: skip
        op.execute(f"ALTER TABLE version DROP COLUMN {column}")
