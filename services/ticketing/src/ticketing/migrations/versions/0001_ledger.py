"""Create the ledger, its tries, the parked messages, the built-in desk and the outbox."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from runtime.database import sweeper_policy, tenant_policy
from runtime.outbox import outbox_policies

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_SWEEPER = "ticketing_sweeper"
_NOW = sa.text("clock_timestamp()")


def _moment(name: str, *, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable, server_default=None if nullable else _NOW)


def upgrade() -> None:
    _create_ledger()
    _create_tries()
    _create_parked()
    _create_desk()
    _create_outbox()
    statements = [
        *(line for table in _TENANT_TABLES for line in tenant_policy(table)),
        *sweeper_policy("ticket", role=_SWEEPER, columns=("id", "tenant", "due_at")),
        *outbox_policies(_SWEEPER),
    ]
    for statement in statements:
        op.execute(statement)


_TENANT_TABLES = ("ticket", "ticket_try", "parked_message", "desk_ticket", "desk_counter")


def _create_ledger() -> None:
    op.create_table(
        "ticket",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("ticket_key", sa.Text, nullable=False),
        sa.Column("escalation_id", sa.Text, nullable=False),
        sa.Column("attempt_id", sa.Text, nullable=False),
        sa.Column("body", JSONB, nullable=False),
        sa.Column("body_hash", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False, server_default="RECEIVED"),
        sa.Column("fence", sa.Integer, nullable=False, server_default="0"),
        sa.Column("due_at", sa.DateTime(timezone=True), server_default=_NOW),
        sa.Column("helpdesk", sa.Text),
        sa.Column("external_id", sa.Text),
        sa.Column("ticket_number", sa.Text),
        sa.Column("status", sa.Text, nullable=False, server_default="REQUESTED"),
        sa.Column("sequence", sa.Integer, nullable=False, server_default="0"),
        sa.Column("last_message_id", sa.Uuid()),
        sa.Column("traceparent", sa.Text),
        _moment("received_at"),
        _moment("changed_at"),
        sa.UniqueConstraint("tenant", "ticket_key"),
        sa.CheckConstraint(
            "state IN ('RECEIVED', 'CREATING', 'CREATED', 'OUTCOME_UNKNOWN', 'RETRYING', 'NEEDS_ATTENTION', 'CONFLICT')",
            name="state",
        ),
        sa.CheckConstraint("state <> 'CREATED' OR external_id IS NOT NULL", name="created_has_external_id"),
    )
    op.create_index("ix_ticket_due", "ticket", ["due_at"], postgresql_where=sa.text("due_at IS NOT NULL"))


def _create_tries() -> None:
    op.create_table(
        "ticket_try",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("ticket_id", sa.Uuid(), sa.ForeignKey("ticket.id"), nullable=False),
        sa.Column("attempt_id", sa.Text, nullable=False),
        sa.Column("fence", sa.Integer, nullable=False),
        sa.Column("helpdesk", sa.Text, nullable=False),
        sa.Column("step", sa.Text),
        _moment("started_at"),
        _moment("finished_at", nullable=True),
        sa.Column("outcome", sa.Text),
        sa.Column("error_class", sa.Text),
        sa.Column("external_id", sa.Text),
        sa.UniqueConstraint("ticket_id", "fence"),
    )


def _create_parked() -> None:
    op.create_table(
        "parked_message",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("message_id", sa.Text, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("attempt_id", sa.Text),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        _moment("parked_at"),
        sa.UniqueConstraint("tenant", "message_id", "reason"),
        sa.CheckConstraint("reason IN ('MALFORMED', 'CONFLICT')", name="reason"),
    )


def _create_desk() -> None:
    op.create_table(
        "desk_ticket",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("ticket_key", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("attempt_id", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False, server_default="OPEN"),
        sa.Column("priority", sa.Text, nullable=False),
        sa.Column("body", JSONB, nullable=False),
        _moment("created_at"),
        _moment("changed_at"),
        sa.UniqueConstraint("tenant", "ticket_key"),
        sa.UniqueConstraint("tenant", "number"),
        sa.CheckConstraint("status IN ('OPEN', 'IN_PROGRESS', 'SOLVED')", name="status"),
    )
    op.create_table(
        "desk_counter",
        sa.Column("tenant", sa.Text, primary_key=True),
        sa.Column("last_number", sa.Integer, nullable=False),
    )


def _create_outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", sa.Uuid(), primary_key=True),
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("queue", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("attempt_id", sa.Text, nullable=False),
        sa.Column("data", JSONB, nullable=False),
        sa.Column("traceparent", sa.Text),
        sa.Column("state", sa.Text, nullable=False, server_default="PENDING"),
        sa.Column("sends", sa.Integer, nullable=False, server_default="0"),
        _moment("next_send_at"),
        _moment("created_at"),
        _moment("acknowledged_at", nullable=True),
    )
    op.create_index("ix_outbox_due", "outbox", ["next_send_at"], postgresql_where=sa.text("state <> 'ACKNOWLEDGED'"))


def downgrade() -> None:
    for table in ("outbox", "desk_counter", "desk_ticket", "parked_message", "ticket_try", "ticket"):
        op.drop_table(table)
