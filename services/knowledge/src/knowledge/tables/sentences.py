"""Describe which versions wait for the vectors of their sentences."""

from sqlalchemy import Column, DateTime, Integer, Table, Text, Uuid

from knowledge.tables.metadata import metadata

# The row goes with the last pending passage. `reached` is the revision up to which all passages have their vectors.
sentence_backlog = Table(
    "sentence_backlog",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("pending", Integer, nullable=False),
    Column("reached", Uuid()),
    Column("lease_token", Uuid()),
    Column("lease_until", DateTime(timezone=True), nullable=False),
)
