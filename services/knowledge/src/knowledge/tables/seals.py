"""Describe what seals the answer log, and what is kept beside it."""

from sqlalchemy import BigInteger, Column, DateTime, Identity, Integer, LargeBinary, SmallInteger, Table, Text, Uuid

from knowledge.tables.metadata import metadata

# A question as it was typed, under a data key of its own that is wrapped by the installation's.
answer_original = Table(
    "answer_original",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("attempt", Uuid(), primary_key=True),
    Column("try", SmallInteger, primary_key=True),
    Column("key_id", Text, nullable=False),
    Column("wrapped_key", LargeBinary, nullable=False),
    Column("ciphertext", LargeBinary, nullable=False),
)

# An erasure is a row of the log itself: sealed like the others, so that a text cannot vanish without a trace.
answer_erasure = Table(
    "answer_erasure",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("attempt", Uuid(), primary_key=True),
    Column("try", SmallInteger, primary_key=True),
    Column("erased_at", DateTime(timezone=True), nullable=False),
)

# Openings without a closing; kept by triggers.
answer_open = Table(
    "answer_open",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("attempt", Uuid(), primary_key=True),
    Column("try", SmallInteger, primary_key=True),
    Column("opened_at", DateTime(timezone=True), nullable=False),
)

# Rows of the log that wait for their seal; put in by triggers, taken out by the sealing.
answer_unsealed = Table(
    "answer_unsealed",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("number", BigInteger, Identity(always=True), primary_key=True),
    Column("attempt", Uuid(), nullable=False),
    Column("try", SmallInteger, nullable=False),
    Column("kind", Text, nullable=False),
)

# One row a tenant: the lock of its chain, and how far batches were sealed, told outside and looked through.
answer_chain = Table(
    "answer_chain",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("sealed", BigInteger, nullable=False),
    Column("published", BigInteger, nullable=False),
    Column("sampled", BigInteger, nullable=False),
)

answer_batch = Table(
    "answer_batch",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True),
    Column("form", SmallInteger, nullable=False),
    Column("rows", Integer, nullable=False),
    Column("previous", LargeBinary, nullable=False),
    Column("head", LargeBinary, nullable=False),
    Column("sealed_at", DateTime(timezone=True), nullable=False),
)

answer_seal = Table(
    "answer_seal",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("batch", BigInteger, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("attempt", Uuid(), nullable=False),
    Column("try", SmallInteger, nullable=False),
    Column("commitments", LargeBinary, nullable=False),
    Column("link", LargeBinary, nullable=False),
    Column("row_key", LargeBinary, nullable=False),
    Column("text_key", LargeBinary),
)
