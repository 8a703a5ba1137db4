"""Describe the review queue, what was said about its attempts, and what came of it."""

from sqlalchemy import Boolean, Column, DateTime, Integer, SmallInteger, Table, Text, Uuid
from sqlalchemy.dialects.postgresql import ARRAY

from knowledge.tables.metadata import metadata

# One row an attempt. A lease is `held_until` in the future; a row that is ERASED stays, so that late news find it.
review_item = Table(
    "review_item",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("attempt", Uuid(), primary_key=True),
    Column("reasons", ARRAY(Text), nullable=False),
    Column("priority", SmallInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("opened_at", DateTime(timezone=True), nullable=False),
    Column("waiting_since", DateTime(timezone=True), nullable=False),
    Column("held_by", Text),
    Column("held_until", DateTime(timezone=True)),
    Column("closed_at", DateTime(timezone=True)),
)

# What the customer thinks now; comments and notes are masked before they are stored.
review_judgement = Table(
    "review_judgement",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("attempt", Uuid(), primary_key=True),
    Column("rating", Text, nullable=False),
    Column("reason_code", Text),
    Column("comment", Text),
    Column("is_correction", Boolean, nullable=False),
    Column("judged_at", DateTime(timezone=True), nullable=False),
)

review_escalation = Table(
    "review_escalation",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("escalation", Text, primary_key=True),
    Column("attempt", Uuid(), nullable=False),
    Column("origin", Text, nullable=False),
    Column("note", Text),
    Column("requested_at", DateTime(timezone=True), nullable=False),
)

# The app role may add verdicts and, when a customer is erased, empty their notes; nothing else.
review_verdict = Table(
    "review_verdict",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("attempt", Uuid(), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("layer", Text, nullable=False),
    Column("note", Text),
    Column("reviewer", Text, nullable=False),
    Column("decided_at", DateTime(timezone=True), nullable=False),
)

# A text that a reviewer would like to see in the knowledge. Nothing reads it but its owners.
knowledge_proposal = Table(
    "knowledge_proposal",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("id", Uuid(), primary_key=True),
    Column("attempt", Uuid(), nullable=False),
    Column("slug", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("question", Text),
    Column("body", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("proposed_by", Text, nullable=False),
    Column("proposed_at", DateTime(timezone=True), nullable=False),
    Column("decided_by", Text),
    Column("decided_at", DateTime(timezone=True)),
    Column("decision", Text),
)

# Which answers a revision's passages were cited in: the log names passages inside JSON, which no index may read under
# row-level security, and a passage may be removed long before its answers are.
answer_citation = Table(
    "answer_citation",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("revision", Uuid(), primary_key=True),
    Column("attempt", Uuid(), primary_key=True),
    Column("closed_at", DateTime(timezone=True), nullable=False),
)
