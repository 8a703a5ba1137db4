"""Describe the tables of knowledge. Every one of them has a tenant and forced row-level security.

The large ones (`passage`, `posting`, `passage_vector`, `sentence`, `vector_cache`) are hash-partitioned by tenant.
The migrations hold the DDL; this module is what the stores write their statements with.
"""

from typing import Final

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    Float,
    Identity,
    Integer,
    LargeBinary,
    Numeric,
    SmallInteger,
    Table,
    Text,
    Uuid,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from runtime.database import new_metadata

DIMENSION: Final = 512

metadata: Final = new_metadata()

# One row a tenant: what is current, and the last number given to a version.
tenant_pointer = Table(
    "tenant_pointer",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("current_version", Integer),
    Column("last_version", Integer, nullable=False),
)

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
    Column("content_sha256", Text, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
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

# Audience and time are repeated here so that both arms of a search can use them as conditions of one table.
passage = Table(
    "passage",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("id", Uuid(), primary_key=True),
    Column("revision", Uuid(), nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("heading_path", ARRAY(Text), nullable=False),
    Column("text", Text, nullable=False),
    Column("source_start", Integer, nullable=False),
    Column("source_end", Integer, nullable=False),
    Column("audience_id", Integer, nullable=False),
    Column("in_force_from", Date, nullable=False),
    Column("in_force_until", Date, nullable=False),
    Column("language", Text, nullable=False),
    Column("terms", Integer, nullable=False),
    Column("indexed", Boolean, nullable=False),
)

posting = Table(
    "posting",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("term", BigInteger, primary_key=True),
    Column("passage", Uuid(), primary_key=True),
    Column("impact", Float(24), nullable=False),
)

term_frequency = Table(
    "term_frequency",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("term", BigInteger, primary_key=True),
    Column("passages", Integer, nullable=False),
)

passage_vector = Table(
    "passage_vector",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("passage", Uuid(), primary_key=True),
    Column("embedding", HALFVEC(DIMENSION), nullable=False),
    Column("hot", Boolean, nullable=False),
)

sentence = Table(
    "sentence",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("passage", Uuid(), primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("text_start", Integer, nullable=False),
    Column("text_end", Integer, nullable=False),
    Column("embedding", HALFVEC(DIMENSION), nullable=False),
)

vector_cache = Table(
    "vector_cache",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("embedder", Text, primary_key=True),
    Column("text_sha256", Text, primary_key=True),
    Column("embedding", HALFVEC(DIMENSION), nullable=False),
)

# The average length is frozen with the first import of a tenant, so that a posting's impact never changes.
analyser_build = Table(
    "analyser_build",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("analyser", Text, primary_key=True),
    Column("average_length", Float(24), nullable=False),
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

# The answer log: three tables that only grow. The app role may insert and read, nothing else.
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
    Column("question_masked", Text, nullable=False),
    Column("facts", JSONB, nullable=False),
    Column("typed_facts", JSONB, nullable=False),
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
    Column("read_as", JSONB, nullable=False),
    Column("lacking", JSONB, nullable=False),
    Column("candidates", JSONB, nullable=False),
    Column("policy_context", ARRAY(Uuid()), nullable=False),
    Column("drafts", JSONB, nullable=False),
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
