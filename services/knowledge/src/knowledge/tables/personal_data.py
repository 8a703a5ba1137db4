"""Describe what was masked, and what an owner lets stay. No value is kept, only its keyed hash."""

from sqlalchemy import Column, DateTime, Integer, Table, Text, Uuid

from knowledge.tables.metadata import metadata

# `source_start` and `source_end` are in the masked text of the field: the revision's text, or a field of its record.
mask = Table(
    "mask",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("revision", Uuid(), primary_key=True),
    Column("field", Text, primary_key=True),
    Column("source_start", Integer, primary_key=True),
    Column("source_end", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("value_hash", Text, nullable=False),
)

mask_allowance = Table(
    "mask_allowance",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("value_hash", Text, primary_key=True),
    Column("allowed_by", Text, nullable=False),
    Column("allowed_at", DateTime(timezone=True), nullable=False),
)
