"""Describe what a search finds passages by. All but the counts are hash-partitioned by tenant."""

from typing import Final

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import BigInteger, Boolean, Column, Date, Float, Integer, Table, Text, Uuid
from sqlalchemy.dialects.postgresql import ARRAY

from knowledge.tables.metadata import metadata

DIMENSION: Final = 512

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
    # How often each term stands in a passage, until it is indexed.
    Column("term_ids", ARRAY(BigInteger)),
    Column("term_counts", ARRAY(Integer)),
    Column("indexed", Boolean, nullable=False),
    Column("page", Integer),
    Column("line", Integer, nullable=False),
    Column("applies_to", Text),
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


def _second_vector(dimension: int) -> Table:
    # `arm` is the identity of the embedder: what another one made stays beside it and is never compared with it.
    return Table(
        f"passage_vector_{dimension}",
        metadata,
        Column("tenant", Text, primary_key=True),
        Column("arm", Text, primary_key=True),
        Column("passage", Uuid(), primary_key=True),
        Column("embedding", HALFVEC(dimension), nullable=False),
        Column("hot", Boolean, nullable=False),
    )


# The vectors of a second arm, in a table by their dimension.
second_vectors: Final = {dimension: _second_vector(dimension) for dimension in (384, 768, 1024, 1536)}

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
    Column("embedding", HALFVEC(), nullable=False),
)
