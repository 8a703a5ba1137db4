"""Describe the tables of bff: conversations, attempts, feedback, escalations, the outbox."""

from typing import Final

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from runtime.database import new_metadata
from runtime.outbox import outbox_table
from runtime.parking import failed_delivery_table, parked_message_table

_NOW: Final = text("clock_timestamp()")

METADATA: Final = new_metadata()

CONVERSATION: Final = Table(
    "conversation",
    METADATA,
    Column("id", Uuid(), primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("customer", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("request_key", Text),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=_NOW),
    Index("ix_conversation_tenant_customer", "tenant", "customer", "created_at"),
    Index("ix_conversation_age", "tenant", "created_at"),
    Index(
        "uq_conversation_request",
        "tenant",
        "customer",
        "request_key",
        unique=True,
        postgresql_where=text("request_key IS NOT NULL"),
    ),
)

# `request_*` are the idempotency columns: the POST that made the row. `events` is null until the attempt is closed.
# `segments`, `facts` and `contact` come from a verified token, `typed_facts` from the customer. `documents` and `areas` are what the
# citations come from; `agreement` is what knowledge's log said to it, null until asked; `is_lineage_counted` stands on all of a lineage once the end of its retries was counted.
ATTEMPT: Final = Table(
    "attempt",
    METADATA,
    Column("id", Uuid(), primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("customer", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("conversation_id", Uuid(), ForeignKey("conversation.id", ondelete="CASCADE"), nullable=False),
    Column("retry_of_attempt_id", Uuid()),
    Column("lineage_id", Uuid(), nullable=False),
    Column("status", Text, nullable=False, server_default="PENDING"),
    Column("question", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("as_of", Date, nullable=False),
    Column("asked_at", DateTime(timezone=True), nullable=False),
    Column("segments", JSONB, nullable=False, server_default='["public"]'),
    Column("facts", JSONB, nullable=False, server_default="{}"),
    Column("typed_facts", JSONB, nullable=False),
    Column("contact", JSONB(none_as_null=True)),
    Column("trace_id", Text, nullable=False),
    Column("knowledge_version", Integer),
    Column("outcome", JSONB),
    Column("citations", JSONB, nullable=False, server_default="[]"),
    Column("documents", JSONB, nullable=False, server_default="[]"),
    Column("areas", JSONB, nullable=False, server_default="[]"),
    Column("is_lineage_counted", Boolean, nullable=False, server_default="false"),
    Column("events", JSONB),
    Column("agreement", Text),
    Column("refused", Boolean, nullable=False, server_default="false"),
    Column("reason_code", Text),
    Column("handoff", Text, nullable=False, server_default="none"),
    Column("failure_code", Text),
    Column("lease_holder", Uuid()),
    Column("lease_until", DateTime(timezone=True)),
    Column("request_route", Text),
    Column("request_key", Text),
    Column("request_hash", Text),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=_NOW),
    Column("completed_at", DateTime(timezone=True)),
    CheckConstraint("status IN ('PENDING', 'COMPLETED', 'FAILED')", name="status"),
    CheckConstraint("(status = 'COMPLETED') = (outcome IS NOT NULL)", name="completed_has_outcome"),
    CheckConstraint("(status = 'FAILED') = (failure_code IS NOT NULL)", name="failed_has_code"),
    CheckConstraint("(status = 'PENDING') = (events IS NULL)", name="closed_has_events"),
    CheckConstraint("agreement IN ('unchecked', 'agreed', 'explained', 'different')", name="agreement"),
    Index("ix_attempt_conversation", "conversation_id", "created_at"),
    Index("ix_attempt_lineage", "lineage_id"),
    Index("uq_attempt_pending", "conversation_id", unique=True, postgresql_where=text("status = 'PENDING'")),
    Index("ix_attempt_lease", "lease_until", postgresql_where=text("status = 'PENDING'")),
    Index(
        "ix_attempt_uncounted",
        "tenant",
        "lineage_id",
        postgresql_where=text("retry_of_attempt_id IS NOT NULL AND NOT is_lineage_counted"),
    ),
    Index(
        "ix_attempt_uncompared",
        "tenant",
        "completed_at",
        postgresql_where=text("status <> 'PENDING' AND agreement IS NULL"),
    ),
    Index("ix_attempt_running", "tenant", "customer", postgresql_where=text("status = 'PENDING'")),
    Index(
        "uq_attempt_request",
        "tenant",
        "customer",
        "request_route",
        "request_key",
        unique=True,
        postgresql_where=text("request_key IS NOT NULL"),
    ),
)

FEEDBACK: Final = Table(
    "feedback",
    METADATA,
    Column("attempt_id", Uuid(), ForeignKey("attempt.id", ondelete="CASCADE"), nullable=False),
    Column("customer", Text, nullable=False),
    Column("tenant", Text, nullable=False),
    Column("rating", Text, nullable=False),
    Column("reason_code", Text),
    Column("comment", Text),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=_NOW),
    Column("corrected_at", DateTime(timezone=True)),
    PrimaryKeyConstraint("attempt_id", "customer"),
    CheckConstraint("(rating = 'NOT_HELPFUL') = (reason_code IS NOT NULL)", name="reason_follows_rating"),
    Index("ix_feedback_listing", "tenant", "attempt_id"),
)

# `sequence` is that of the last TicketChanged that was applied.
ESCALATION: Final = Table(
    "escalation",
    METADATA,
    Column("id", Uuid(), primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("customer", Text, nullable=False),
    Column("conversation_id", Uuid(), ForeignKey("conversation.id", ondelete="CASCADE"), nullable=False),
    Column("attempt_id", Uuid(), ForeignKey("attempt.id", ondelete="CASCADE"), nullable=False),
    Column("origin", Text, nullable=False),
    Column("note", Text),
    Column("status", Text, nullable=False, server_default="REQUESTED"),
    Column("ticket_number", Text),
    Column("solution", Text),
    Column("sequence", Integer, nullable=False, server_default="0"),
    Column("request_key", Text),
    Column("request_hash", Text),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=_NOW),
    Column("changed_at", DateTime(timezone=True), nullable=False, server_default=_NOW),
    CheckConstraint("origin IN ('customer', 'rule')", name="origin"),
    CheckConstraint(
        "status IN ('REQUESTED', 'TICKET_CREATED', 'IN_PROGRESS', 'SOLVED', 'DELAYED')",
        name="status",
    ),
    Index("uq_escalation_open", "conversation_id", unique=True, postgresql_where=text("status <> 'SOLVED'")),
    Index("ix_escalation_attempt", "attempt_id"),
    Index(
        "uq_escalation_request",
        "tenant",
        "customer",
        "request_key",
        unique=True,
        postgresql_where=text("request_key IS NOT NULL"),
    ),
)

# What could not be followed, and why; with what it says while it may be sent through again.
PARKED_MESSAGE: Final = parked_message_table(
    METADATA,
    Column("body", Text),
    Column("replayed_at", DateTime(timezone=True)),
    UniqueConstraint("tenant", "message_id"),
    CheckConstraint("reason IN ('MALFORMED', 'UNKNOWN_VERSION', 'POISON')", name="reason"),
)
FAILED_DELIVERY: Final = failed_delivery_table(METADATA)

OUTBOX: Final = outbox_table(METADATA)
Index("ix_outbox_attempt", OUTBOX.c.tenant, OUTBOX.c.attempt_id)
