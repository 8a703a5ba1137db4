"""Describe imports and their files."""

from sqlalchemy import Boolean, Column, DateTime, Integer, LargeBinary, Table, Text, Uuid
from sqlalchemy.dialects.postgresql import JSONB

from knowledge.tables.metadata import metadata

import_job = Table(
    "import_job",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("id", Uuid(), primary_key=True),
    Column("state", Text, nullable=False),
    Column("step", Text, nullable=False),
    Column("additive", Boolean, nullable=False),
    Column("routing_policy", Text, nullable=False),
    Column("problems", JSONB, nullable=False),
    Column("reason", Text),
    Column("version", Integer),
    Column("files_total", Integer, nullable=False),
    Column("slices_done", Integer, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("lease_token", Uuid()),
    Column("lease_until", DateTime(timezone=True), nullable=False),
    Column("created_by", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("finished_at", DateTime(timezone=True)),
)

# The bytes are gone as soon as they are read: what is kept is the masked normal form in `revision.source`.
import_file = Table(
    "import_file",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("import_id", Uuid(), primary_key=True),
    Column("path", Text, primary_key=True),
    Column("ordinal", Integer, nullable=False),
    Column("content", LargeBinary),
    Column("header", JSONB),
    Column("revision", Uuid()),
)
