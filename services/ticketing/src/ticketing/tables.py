"""Describe the tables of ticketing: the ledger, its tries, what was parked, gates, inbox, the built-in desk, outbox."""

from typing import Final

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Float,
    ForeignKey,
    Index,
    Integer,
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

# `due_at` says when somebody may take a ticket up: at once, at its retry, or when the lease of its holder expires.
# `open_since` is the moment of the first create that nobody saw answered; `counted_from` the fence at which staff requeued
# it, from where tries count; `poll_at` when its helpdesk is asked next what people did with it.
TICKET: Final = Table(
    "ticket",
    METADATA,
    Column("id", Uuid(), primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("ticket_key", Text, nullable=False),
    Column("escalation_id", Text, nullable=False),
    Column("attempt_id", Text, nullable=False),
    Column("body", JSONB, nullable=False),
    Column("body_hash", Text, nullable=False),
    Column("state", Text, nullable=False, server_default="RECEIVED"),
    Column("fence", Integer, nullable=False, server_default="0"),
    Column("due_at", DateTime(timezone=True), server_default=_NOW),
    Column("helpdesk", Text),
    Column("external_id", Text),
    Column("ticket_number", Text),
    Column("status", Text, nullable=False, server_default="REQUESTED"),
    Column("sequence", Integer, nullable=False, server_default="0"),
    Column("last_message_id", Uuid()),
    Column("open_since", DateTime(timezone=True)),
    Column("counted_from", Integer, nullable=False, server_default="0"),
    Column("poll_at", DateTime(timezone=True)),
    Column("polls", Integer, nullable=False, server_default="0"),
    Column("solution", Text),
    Column("traceparent", Text),
    Column("received_at", DateTime(timezone=True), nullable=False, server_default=_NOW),
    Column("changed_at", DateTime(timezone=True), nullable=False, server_default=_NOW),
    UniqueConstraint("tenant", "ticket_key"),
    CheckConstraint(
        "state IN ('RECEIVED', 'CREATING', 'CREATED', 'OUTCOME_UNKNOWN', 'RETRYING', 'NEEDS_ATTENTION', 'CONFLICT')",
        name="state",
    ),
    CheckConstraint("state <> 'CREATED' OR external_id IS NOT NULL", name="created_has_external_id"),
    Index("ix_ticket_tenant_due", "tenant", "due_at", postgresql_where=text("due_at IS NOT NULL")),
    Index("ix_ticket_tenant_poll", "tenant", "poll_at", postgresql_where=text("poll_at IS NOT NULL")),
    Index("ix_ticket_external", "tenant", "helpdesk", "external_id", postgresql_where=text("poll_at IS NOT NULL")),
    Index("ix_ticket_under_way", "tenant", "helpdesk", postgresql_where=text("state = 'CREATING'")),
    Index("ix_ticket_listing", "tenant", "state", "id"),
    Index("ix_ticket_attempt", "tenant", "attempt_id"),
)

# A try without an outcome was cut off: its worker died or lost its lease. `began` and `ended` are seconds on the stopwatch of
# its machine, which no other machine can read.
TICKET_TRY: Final = Table(
    "ticket_try",
    METADATA,
    Column("id", Uuid(), primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("ticket_id", Uuid(), ForeignKey("ticket.id"), nullable=False),
    Column("attempt_id", Text, nullable=False),
    Column("fence", Integer, nullable=False),
    Column("helpdesk", Text, nullable=False),
    Column("step", Text),
    Column("started_at", DateTime(timezone=True), nullable=False, server_default=_NOW),
    Column("finished_at", DateTime(timezone=True)),
    Column("machine", Text),
    Column("began", Float(53)),
    Column("ended", Float(53)),
    Column("outcome", Text),
    Column("latency_ms", Integer),
    Column("error_class", Text),
    Column("detail", Text),
    Column("external_id", Text),
    UniqueConstraint("ticket_id", "fence"),
)

PARKED_MESSAGE: Final = parked_message_table(
    METADATA,
    Column("body", Text, nullable=False),
    Column("ticket_key", Text),
    Column("is_reported", Boolean, nullable=False, server_default="false"),
    Column("replayed_at", DateTime(timezone=True)),
    UniqueConstraint("tenant", "message_id", "reason"),
    CheckConstraint("reason IN ('MALFORMED', 'CONFLICT', 'UNKNOWN_VERSION', 'POISON')", name="reason"),
)
FAILED_DELIVERY: Final = failed_delivery_table(METADATA)

# Failures in a row of a tenant's helpdesk, and until when it is left alone.
HELPDESK_GATE: Final = Table(
    "helpdesk_gate",
    METADATA,
    Column("tenant", Text, primary_key=True),
    Column("helpdesk", Text, primary_key=True),
    Column("failures", Integer, nullable=False, server_default="0"),
    Column("closed_until", DateTime(timezone=True)),
    Column("changed_at", DateTime(timezone=True), nullable=False, server_default=_NOW),
)

# What helpdesks sent us: a message id counts once.
INBOX: Final = Table(
    "inbox",
    METADATA,
    Column("tenant", Text, primary_key=True),
    Column("helpdesk", Text, primary_key=True),
    Column("message_id", Text, primary_key=True),
    Column("received_at", DateTime(timezone=True), nullable=False, server_default=_NOW),
)

# What came of an attempt that was erased is not opened again.
ERASED_ATTEMPT: Final = Table(
    "erased_attempt",
    METADATA,
    Column("tenant", Text, primary_key=True),
    Column("attempt_id", Text, primary_key=True),
    Column("erased_at", DateTime(timezone=True), nullable=False, server_default=_NOW),
)

DESK_TICKET: Final = Table(
    "desk_ticket",
    METADATA,
    Column("id", Uuid(), primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("ticket_key", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("attempt_id", Text, nullable=False),
    Column("status", Text, nullable=False, server_default="OPEN"),
    Column("priority", Text, nullable=False),
    Column("body", JSONB, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=_NOW),
    Column("changed_at", DateTime(timezone=True), nullable=False, server_default=_NOW),
    UniqueConstraint("tenant", "ticket_key"),
    UniqueConstraint("tenant", "number"),
    CheckConstraint("status IN ('OPEN', 'IN_PROGRESS', 'SOLVED')", name="status"),
)

DESK_COUNTER: Final = Table(
    "desk_counter",
    METADATA,
    Column("tenant", Text, primary_key=True),
    Column("last_number", Integer, nullable=False),
)

OUTBOX: Final = outbox_table(METADATA)
