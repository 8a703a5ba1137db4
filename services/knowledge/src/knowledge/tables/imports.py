"""Describe imports and their files."""

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
    SmallInteger,
    Table,
    Text,
    Uuid,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from knowledge.tables.metadata import metadata

import_job = Table(
    "import_job",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("id", Uuid(), primary_key=True),
    Column("state", Text, nullable=False),
    Column("step", Text, nullable=False),
    Column("additive", Boolean, nullable=False),
    Column("faulty", Text, nullable=False),
    Column("routing_policy", Text, nullable=False),
    Column("reason", Text),
    Column("version", Integer),
    Column("files_total", Integer, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("files_read", Integer, nullable=False),
    Column("passages", Integer, nullable=False),
    Column("vectors", Integer, nullable=False),
    Column("step_vectors", Integer, nullable=False),
    Column("step_began_at", DateTime(timezone=True), nullable=False),
    Column("slices_done", Integer, nullable=False),
    Column("reached", Uuid()),
    Column("tries", Integer, nullable=False),
    Column("lease_token", Uuid()),
    Column("lease_until", DateTime(timezone=True), nullable=False),
    Column("created_by", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("finished_at", DateTime(timezone=True)),
)

# The bytes are gone as soon as they are read: what is kept is the masked normal form in `revision.source`, and the
# original for its owner alone. Until then they are encrypted, unless `key_id` is null. The bytes of an archive are in its
# parts; `entries_done` and `unpacked_bytes` say how far it is unpacked.
import_file = Table(
    "import_file",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("import_id", Uuid(), primary_key=True),
    Column("path", Text, primary_key=True),
    Column("ordinal", Integer, nullable=False),
    Column("content", LargeBinary),
    Column("key_id", Text),
    Column("header", JSONB(none_as_null=True)),
    Column("kind", Text, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("archive", Text),
    Column("entries_done", Integer, nullable=False),
    Column("unpacked_bytes", BigInteger, nullable=False),
    Column("failures", SmallInteger, nullable=False),
)

archive_part = Table(
    "archive_part",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("import_id", Uuid(), primary_key=True),
    Column("path", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("content", LargeBinary, nullable=False),
    Column("key_id", Text),
)

import_problem = Table(
    "import_problem",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("import_id", Uuid(), primary_key=True),
    Column("number", BigInteger, Identity(always=True), primary_key=True),
    Column("path", Text, nullable=False),
    Column("field", Text, nullable=False),
    Column("code", Text, nullable=False),
    Column("sentence", Text, nullable=False),
    Column("slug", Text),
)

# A file between READ and STORE. `text_of` names the revision whose text it shares instead of holding one; `kept` is
# what an additive import takes over from the current version.
read_draft = Table(
    "read_draft",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("import_id", Uuid(), primary_key=True),
    Column("id", Uuid(), primary_key=True),
    Column("path", Text, nullable=False),
    Column("slug", Text, nullable=False),
    Column("label", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("owner", Text),
    Column("area", Text),
    Column("segments", Text, nullable=False),
    Column("tags", ARRAY(Text), nullable=False),
    Column("priority", Integer, nullable=False),
    Column("review_date", Date),
    Column("effective_from", Date),
    Column("effective_to", Date),
    Column("declared_to", Date),
    Column("superseded_by", Text),
    Column("applies_to", Text),
    Column("requires_facts", ARRAY(Text), nullable=False),
    Column("decision", Text, nullable=False),
    Column("public", Boolean, nullable=False),
    Column("source_url", Text),
    Column("content_sha256", Text, nullable=False),
    Column("origin_sha256", Text),
    Column("source", Text),
    Column("page_lines", ARRAY(Integer), nullable=False),
    Column("text_of", Uuid()),
    Column("kept", Boolean, nullable=False),
    Column("masks", JSONB, nullable=False),
)

# Two passages of a version that are alike, the most alike first.
passage_duplicate = Table(
    "passage_duplicate",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("passage", Uuid(), nullable=False),
    Column("other", Uuid(), nullable=False),
    Column("similarity", Float(24), nullable=False),
)

# Pairs on their way there.
passage_pair = Table(
    "passage_pair",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("passage", Uuid(), primary_key=True),
    Column("other", Uuid(), primary_key=True),
)

# What was measured of two passages, which never change. `measure` names how: another one measures anew.
passage_likeness = Table(
    "passage_likeness",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("measure", Text, primary_key=True),
    Column("passage", Uuid(), primary_key=True),
    Column("other", Uuid(), primary_key=True),
    Column("similarity", Float(24), nullable=False),
)
