"""Describe what became of messages from other services that could not be taken."""

from sqlalchemy import Column, DateTime, Integer, Table, Text

from knowledge.tables.metadata import metadata

# No body: it may hold what a customer wrote, and its sender keeps it.
parked_message = Table(
    "parked_message",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("message_id", Text, primary_key=True),
    Column("type", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("attempt_id", Text),
    Column("reason", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("parked_at", DateTime(timezone=True), nullable=False),
)

failed_delivery = Table(
    "failed_delivery",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("message_id", Text, primary_key=True),
    Column("deliveries", Integer, nullable=False),
    Column("error_class", Text, nullable=False),
    Column("failed_at", DateTime(timezone=True), nullable=False),
)
