"""Describe versions, what they hold, and which one is current."""

from sqlalchemy import Boolean, Column, DateTime, Integer, Table, Text, Uuid
from sqlalchemy.dialects.postgresql import JSONB

from knowledge.tables.metadata import metadata

# One row a tenant: what is current, and the last number given to a version.
tenant_pointer = Table(
    "tenant_pointer",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("current_version", Integer),
    Column("last_version", Integer, nullable=False),
)

version = Table(
    "version",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("state", Text, nullable=False),
    Column("routing_policy", Text, nullable=False),
    Column("calibration", JSONB),
    Column("analyser", Text, nullable=False),
    Column("embedder", Text, nullable=False),
    Column("passages", Integer, nullable=False),
    Column("servable_passages", Integer, nullable=False),
    Column("hot", Boolean, nullable=False),
    Column("reason", Text),
    Column("import_id", Uuid()),
    Column("created_by", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("staged_at", DateTime(timezone=True)),
    Column("published_by", Text),
    Column("published_at", DateTime(timezone=True)),
)

version_revision = Table(
    "version_revision",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("revision", Uuid(), primary_key=True),
)
