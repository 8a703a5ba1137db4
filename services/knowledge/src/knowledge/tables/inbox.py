"""Describe what became of messages from other services that could not be taken."""

from sqlalchemy import CheckConstraint, Column, Text, UniqueConstraint

from knowledge.tables.metadata import metadata
from runtime.parking import failed_delivery_table, parked_message_table

# No body: it may hold what a customer wrote, and its sender keeps it.
parked_message = parked_message_table(
    metadata,
    Column("source", Text, nullable=False),
    UniqueConstraint("tenant", "message_id"),
    CheckConstraint("reason IN ('MALFORMED', 'UNKNOWN_VERSION', 'POISON')", name="reason"),
)
failed_delivery = failed_delivery_table(metadata)
