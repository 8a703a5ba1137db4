"""Describe what a second model says of answers."""

from sqlalchemy import Boolean, Column, DateTime, Integer, Numeric, SmallInteger, Table, Text, Uuid

from knowledge.tables.metadata import metadata

answer_check = Table(
    "answer_check",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("attempt", Uuid(), primary_key=True),
    Column("try", SmallInteger, primary_key=True),
    Column("state", Text, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("due_at", DateTime(timezone=True), nullable=False),
    Column("trouble", Text),
    Column("model", Text),
    Column("claims", Integer, nullable=False),
    Column("unsupported", Integer, nullable=False),
    Column("input_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
    Column("cost", Numeric(12, 6), nullable=False),
    Column("ended_at", DateTime(timezone=True)),
)

answer_judgement = Table(
    "answer_judgement",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("attempt", Uuid(), primary_key=True),
    Column("try", SmallInteger, primary_key=True),
    Column("claim", SmallInteger, primary_key=True),
    Column("part", SmallInteger, nullable=False),
    Column("is_supported", Boolean, nullable=False),
    Column("reason", Text),
)
