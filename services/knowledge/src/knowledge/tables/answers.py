"""Describe the answer log."""

from sqlalchemy import Column, Date, DateTime, Integer, Numeric, SmallInteger, Table, Text, Uuid
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from knowledge.tables.metadata import metadata

# The answer log: three tables that only grow. The app role may insert and read, nothing else. Where a customer's text was
# erased there is null.
answer_opening = Table(
    "answer_opening",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("attempt", Uuid(), primary_key=True),
    Column("try", SmallInteger, primary_key=True),
    Column("retry_of", Uuid()),
    Column("conversation", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("audience", ARRAY(Text), nullable=False),
    Column("language", Text, nullable=False),
    Column("as_of", Date, nullable=False),
    Column("asked_at", DateTime(timezone=True), nullable=False),
    Column("question_masked", Text),
    Column("earlier", JSONB(none_as_null=True)),
    Column("facts", JSONB(none_as_null=True)),
    Column("typed_facts", JSONB(none_as_null=True)),
    Column("settings_fingerprint", Text, nullable=False),
    Column("trace_id", Text, nullable=False),
    Column("opened_at", DateTime(timezone=True), nullable=False),
)

# `policy_context` holds passage ids in their order; `drafts` every try with what it claimed and its faults.
answer_log = Table(
    "answer_log",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("attempt", Uuid(), primary_key=True),
    Column("try", SmallInteger, primary_key=True),
    Column("version", Integer),
    Column("routing_policy", Text),
    Column("calibration", JSONB, nullable=False),
    Column("route", Text),
    Column("route_rule", Text),
    Column("outcome", Text, nullable=False),
    Column("reason", Text),
    Column("cause", Text),
    Column("failure", Text),
    Column("handoff", Text),
    Column("strength", Text),
    Column("read_as", JSONB(none_as_null=True)),
    Column("lacking", JSONB(none_as_null=True)),
    Column("candidates", JSONB, nullable=False),
    Column("policy_context", ARRAY(Uuid()), nullable=False),
    Column("drafts", JSONB(none_as_null=True)),
    Column("faults", ARRAY(Text), nullable=False),
    Column("result", JSONB(none_as_null=True)),
    Column("citations", JSONB, nullable=False),
    Column("writer", Text),
    Column("model", Text),
    Column("prompt_version", Text),
    Column("input_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
    Column("cost", Numeric(12, 6)),
    Column("finish_reason", Text),
    Column("stage_milliseconds", JSONB, nullable=False),
    Column("closed_at", DateTime(timezone=True), nullable=False),
)

answer_cause = Table(
    "answer_cause",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("attempt", Uuid(), primary_key=True),
    Column("try", SmallInteger, primary_key=True),
    Column("cause", Text, nullable=False),
    Column("candidates", JSONB, nullable=False),
    Column("noted_at", DateTime(timezone=True), nullable=False),
)
