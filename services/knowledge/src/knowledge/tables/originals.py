"""Describe the originals of revisions: the bytes they were read from, encrypted."""

from sqlalchemy import Column, DateTime, Integer, LargeBinary, Table, Text, Uuid

from knowledge.tables.metadata import metadata

# A row without bytes is an original that an owner deleted; `key_id` is empty then.
original = Table(
    "original",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("revision", Uuid(), primary_key=True),
    Column("content_hash", Text, nullable=False),
    Column("size_bytes", Integer, nullable=False),
    Column("key_id", Text, nullable=False),
    Column("content", LargeBinary),
    Column("kept_at", DateTime(timezone=True), nullable=False),
    Column("deleted_at", DateTime(timezone=True)),
    Column("deleted_by", Text),
)

# Between READ and STORE; it goes with its draft.
draft_original = Table(
    "draft_original",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("import_id", Uuid(), primary_key=True),
    Column("draft", Uuid(), primary_key=True),
    Column("content_hash", Text, nullable=False),
    Column("size_bytes", Integer, nullable=False),
    Column("key_id", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
)
