"""Describe versions, what they hold, and which one is current."""

from sqlalchemy import Boolean, Column, Date, DateTime, Integer, Table, Text, Uuid
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
    Column("second_embedder", Text),
    Column("passages", Integer, nullable=False),
    Column("servable_passages", Integer, nullable=False),
    Column("hot", Boolean, nullable=False),
    Column("reason", Text),
    Column("problems", Integer, nullable=False),
    Column("base_version", Integer),
    Column("changes", JSONB(none_as_null=True)),
    Column("duplicates", Integer, nullable=False),
    Column("documents", Integer),
    Column("revisions", Integer),
    Column("masks", Integer),
    Column("clean_after", DateTime(timezone=True), nullable=False),
    Column("cleaned_at", DateTime(timezone=True)),
    Column("import_id", Uuid()),
    Column("created_by", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("staged_at", DateTime(timezone=True)),
    Column("built_day", Date),
    Column("conflicts_partial", Boolean),
    Column("comparer", Text),
    Column("evaluation", JSONB(none_as_null=True)),
    Column("evaluated_by", Text),
    Column("evaluated_at", DateTime(timezone=True)),
    Column("approved_by", Text),
    Column("approved_at", DateTime(timezone=True)),
    Column("published_by", Text),
    Column("published_at", DateTime(timezone=True)),
    Column("discarded_by", Text),
    Column("discarded_at", DateTime(timezone=True)),
)

version_revision = Table(
    "version_revision",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("revision", Uuid(), primary_key=True),
)

# Two sentences by their places, so that nothing of a text is kept here that may be withdrawn.
conflict_hint = Table(
    "conflict_hint",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("passage", Uuid(), nullable=False),
    Column("text_start", Integer, nullable=False),
    Column("text_end", Integer, nullable=False),
    Column("other_passage", Uuid(), nullable=False),
    Column("other_start", Integer, nullable=False),
    Column("other_end", Integer, nullable=False),
)

# What was withdrawn while the sentences of a version were compared; who builds on the version compares it.
conflict_omitted = Table(
    "conflict_omitted",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("revision", Uuid(), primary_key=True),
)

conflict_dismissal = Table(
    "conflict_dismissal",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("pair_key", Text, primary_key=True),
    Column("reason", Text, nullable=False),
    Column("dismissed_by", Text, nullable=False),
    Column("dismissed_at", DateTime(timezone=True), nullable=False),
)
