"""Describe notices to owners and where each was delivered."""

from sqlalchemy import Column, DateTime, Integer, Table, Text, Uuid
from sqlalchemy.dialects.postgresql import JSONB

from knowledge.tables.metadata import metadata

notice = Table(
    "notice",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("id", Uuid(), primary_key=True),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("period", Text, nullable=False),
    Column("items", JSONB, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
)

# One row a channel that the tenant has when the notice is made: a lease is a `due_at` in the future.
notice_delivery = Table(
    "notice_delivery",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("notice", Uuid(), primary_key=True),
    Column("channel", Text, primary_key=True),
    Column("state", Text, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("due_at", DateTime(timezone=True), nullable=False),
    Column("delivered_at", DateTime(timezone=True)),
    Column("reason", Text),
)
