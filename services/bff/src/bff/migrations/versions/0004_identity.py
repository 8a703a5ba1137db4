"""Let an opened conversation be found by its request, and say what an answer was about.

`documents` and `areas` are what the citations of an answer come from, for the lists and counts of staff.
`is_lineage_counted` stands on all attempts of a lineage once the end of its retries was counted.
"""

from alembic import op

revision = "0004"
down_revision = "0003"

CONVERSATION = "ALTER TABLE conversation ADD COLUMN request_key text"
ATTEMPT = """
ALTER TABLE attempt
    ADD COLUMN documents jsonb NOT NULL DEFAULT '[]',
    ADD COLUMN areas jsonb NOT NULL DEFAULT '[]',
    ADD COLUMN is_lineage_counted boolean NOT NULL DEFAULT false
"""
INDEXES = (
    (
        "CREATE UNIQUE INDEX uq_conversation_request ON conversation (tenant, customer, request_key)"
        " WHERE request_key IS NOT NULL"
    ),
    "CREATE INDEX ix_feedback_listing ON feedback (tenant, attempt_id)",
    (
        "CREATE INDEX ix_attempt_uncounted ON attempt (tenant, lineage_id)"
        " WHERE retry_of_attempt_id IS NOT NULL AND NOT is_lineage_counted"
    ),
)


def upgrade() -> None:
    for statement in (CONVERSATION, ATTEMPT, *INDEXES):
        op.execute(statement)


def downgrade() -> None:
    for index in ("ix_attempt_uncounted", "ix_feedback_listing", "uq_conversation_request"):
        op.execute(f"DROP INDEX {index}")
    op.execute("ALTER TABLE attempt DROP COLUMN is_lineage_counted, DROP COLUMN areas, DROP COLUMN documents")
    op.execute("ALTER TABLE conversation DROP COLUMN request_key")
