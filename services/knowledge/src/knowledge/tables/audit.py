"""Describe the audit trail. The app role may add and read its rows, nothing else."""

from sqlalchemy import BigInteger, Column, DateTime, Identity, Table, Text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from knowledge.tables.metadata import metadata

audit_event = Table(
    "audit_event",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("number", BigInteger, Identity(always=True), primary_key=True),
    Column("at", DateTime(timezone=True), nullable=False),
    Column("actor", Text, nullable=False),
    Column("roles", ARRAY(Text), nullable=False),
    Column("act", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("detail", JSONB, nullable=False),
)
