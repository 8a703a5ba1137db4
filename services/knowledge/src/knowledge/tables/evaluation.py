"""Describe golden cases, thresholds, and runs of an evaluation."""

from sqlalchemy import BigInteger, Column, Date, DateTime, Identity, Integer, Table, Text, Uuid
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from knowledge.tables.metadata import metadata

# `content` is the whole masked case; `attempt` is the attempt it was made from, if any.
golden_case = Table(
    "golden_case",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("case_set", Text, nullable=False),
    Column("category", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("content", JSONB, nullable=False),
    Column("attempt", Uuid()),
    Column("added_by", Text, nullable=False),
    Column("added_at", DateTime(timezone=True), nullable=False),
    Column("retired_by", Text),
    Column("retired_at", DateTime(timezone=True)),
    Column("retired_reason", Text),
)

evaluation_threshold = Table(
    "evaluation_threshold",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("number", BigInteger, Identity(always=True), primary_key=True),
    Column("bounds", JSONB, nullable=False),
    Column("set_by", Text, nullable=False),
    Column("set_at", DateTime(timezone=True), nullable=False),
)

# `published` is the version that answered when the run began; `threshold` names the bounds that held then.
evaluation_run = Table(
    "evaluation_run",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("id", Uuid(), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("published", Integer),
    Column("case_sets", ARRAY(Text), nullable=False),
    Column("state", Text, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("settings", JSONB, nullable=False),
    Column("threshold", BigInteger),
    Column("today", Date, nullable=False),
    Column("total", Integer, nullable=False),
    Column("done", Integer, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("lease_token", Uuid()),
    Column("lease_until", DateTime(timezone=True), nullable=False),
    Column("reason", Text),
    Column("summary", JSONB(none_as_null=True)),
    Column("verdict", Text),
    Column("missed", JSONB, nullable=False),
    Column("started_by", Text, nullable=False),
    Column("started_at", DateTime(timezone=True), nullable=False),
    Column("finished_at", DateTime(timezone=True)),
)

# One question asked of the version under evaluation, or of the published one.
evaluation_result = Table(
    "evaluation_result",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("run", Uuid(), primary_key=True),
    Column("side", Text, primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("case_id", Text, nullable=False),
    Column("result", JSONB(none_as_null=True)),
    Column("asked_at", DateTime(timezone=True)),
)
