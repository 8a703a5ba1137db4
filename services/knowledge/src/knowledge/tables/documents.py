"""Describe documents, their revisions, who may see them, and what was withdrawn."""

from sqlalchemy import Boolean, Column, Date, DateTime, Identity, Integer, Table, Text, Uuid
from sqlalchemy.dialects.postgresql import ARRAY

from knowledge.tables.metadata import metadata

document = Table(
    "document",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("id", Uuid(), primary_key=True),
    Column("slug", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
)

# A set of segments is one number, because row-level security leaves only leakproof operators to an index.
audience = Table(
    "audience",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("id", Integer, Identity(always=True), primary_key=True),
    Column("segments", Text, nullable=False),
)

audience_segment = Table(
    "audience_segment",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("segment", Text, primary_key=True),
    Column("audience_id", Integer, primary_key=True),
)

# `effective_to` is inclusive and for people; `in_force_from` and `in_force_until` are half-open and for conditions.
revision = Table(
    "revision",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("id", Uuid(), primary_key=True),
    Column("document", Uuid(), nullable=False),
    Column("label", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("owner", Text),
    Column("area", Text),
    Column("tags", ARRAY(Text), nullable=False),
    Column("priority", Integer, nullable=False),
    Column("review_date", Date),
    Column("effective_from", Date),
    Column("effective_to", Date),
    Column("declared_to", Date),
    Column("superseded_by", Text),
    Column("in_force_from", Date, nullable=False),
    Column("in_force_until", Date, nullable=False),
    Column("audience_id", Integer, nullable=False),
    Column("applies_to", Text),
    Column("requires_facts", ARRAY(Text), nullable=False),
    Column("decision", Text, nullable=False),
    Column("public", Boolean, nullable=False),
    Column("source_url", Text),
    Column("path", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("page_lines", ARRAY(Integer), nullable=False),
    Column("content_sha256", Text, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("origin_sha256", Text),
    Column("state", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
)

# Withdrawn is a text of a document, whatever version or dates it comes back with.
withdrawal = Table(
    "withdrawal",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("document", Uuid(), primary_key=True),
    Column("content_sha256", Text, primary_key=True),
    Column("withdrawn_by", Text, nullable=False),
    Column("withdrawn_at", DateTime(timezone=True), nullable=False),
)
