"""Doubtful answers waiting for a person, what other services said about them, and which answers cite a revision."""

from alembic import op

from runtime.database import sweeper_policy, tenant_policy

revision = "0012"
down_revision = "0011"

_APP = "knowledge_app"
_SWEEPER = "knowledge_sweeper"

_REASONS = "'LOW_STRENGTH', 'VALIDATION_FAILED', 'CHECKER_DISAGREES', 'NOT_HELPFUL', 'ESCALATED'"
_LAYERS = (
    "'KNOWLEDGE_MISSING', 'RETRIEVAL_MISS', 'RERANK_DROP', 'UNSUPPORTED_CLAIM', 'CHANNEL_COPY', 'ROUTING', 'CORRECT'"
)
_CREATE = (
    f"""CREATE TABLE review_item (
        tenant text, attempt uuid, reasons text[] NOT NULL CHECK (reasons <@ ARRAY[{_REASONS}]),
        priority smallint NOT NULL, state text NOT NULL DEFAULT 'OPEN' CHECK (state IN ('OPEN', 'CLOSED', 'ERASED')),
        opened_at timestamptz NOT NULL, waiting_since timestamptz NOT NULL, held_by text, held_until timestamptz,
        closed_at timestamptz, PRIMARY KEY (tenant, attempt),
        CHECK ((held_by IS NULL) = (held_until IS NULL)),
        CHECK ((state = 'OPEN') = (closed_at IS NULL)), CHECK (state = 'OPEN' OR held_by IS NULL))""",
    """CREATE INDEX ix_review_item_queue ON review_item (tenant, priority, waiting_since, attempt)
        WHERE state = 'OPEN'""",
    """CREATE TABLE review_judgement (
        tenant text, attempt uuid, rating text NOT NULL CHECK (rating IN ('HELPFUL', 'NOT_HELPFUL')), reason_code text,
        comment text, is_correction boolean NOT NULL, judged_at timestamptz NOT NULL, PRIMARY KEY (tenant, attempt))""",
    """CREATE TABLE review_escalation (
        tenant text, escalation text, attempt uuid NOT NULL, origin text NOT NULL CHECK (origin IN ('customer', 'rule')),
        note text, requested_at timestamptz NOT NULL, PRIMARY KEY (tenant, escalation))""",
    "CREATE INDEX ix_review_escalation_attempt ON review_escalation (tenant, attempt)",
    f"""CREATE TABLE review_verdict (
        tenant text, attempt uuid, number integer, layer text NOT NULL CHECK (layer IN ({_LAYERS})), note text,
        reviewer text NOT NULL, decided_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (tenant, attempt, number),
        FOREIGN KEY (tenant, attempt) REFERENCES review_item (tenant, attempt))""",
    """CREATE TABLE knowledge_proposal (
        tenant text, id uuid, attempt uuid NOT NULL, slug text NOT NULL, title text NOT NULL, language text NOT NULL,
        question text, body text NOT NULL,
        state text NOT NULL DEFAULT 'PROPOSED' CHECK (state IN ('PROPOSED', 'ACCEPTED', 'DECLINED')),
        proposed_by text NOT NULL, proposed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        decided_by text, decided_at timestamptz, decision text, PRIMARY KEY (tenant, id),
        CHECK ((state = 'PROPOSED') = (decided_at IS NULL)))""",
    "CREATE INDEX ix_knowledge_proposal_attempt ON knowledge_proposal (tenant, attempt)",
    """CREATE TABLE answer_citation (
        tenant text, revision uuid, attempt uuid, closed_at timestamptz NOT NULL,
        PRIMARY KEY (tenant, revision, attempt))""",
    """CREATE TABLE parked_message (
        tenant text, message_id text, type text NOT NULL, source text NOT NULL, attempt_id text,
        reason text NOT NULL CHECK (reason IN ('MALFORMED', 'UNKNOWN_VERSION', 'POISON')), detail text NOT NULL,
        parked_at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (tenant, message_id))""",
    """CREATE TABLE failed_delivery (
        tenant text, message_id text, deliveries integer NOT NULL DEFAULT 1, error_class text NOT NULL,
        failed_at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (tenant, message_id))""",
    "ALTER TABLE notice DROP CONSTRAINT notice_kind_check",
    "ALTER TABLE notice ADD CONSTRAINT notice_kind_check CHECK (kind IN ('OVERDUE', 'EXPIRING', 'CONFLICT', 'RECALL'))",
)
_TABLES = (
    "review_item", "review_judgement", "review_escalation", "review_verdict", "knowledge_proposal", "answer_citation",
    "parked_message", "failed_delivery",
)  # fmt: skip

# Answers of before get their place too. Row-level security is forced on the owner as on everybody, so it is lifted for
# this one statement, inside the transaction.
_READ = ("answer_log", "passage")
_BACKFILL = """
    INSERT INTO answer_citation (tenant, revision, attempt, closed_at)
    SELECT DISTINCT answer_log.tenant, passage.revision, answer_log.attempt, answer_log.closed_at
    FROM answer_log CROSS JOIN LATERAL jsonb_array_elements(answer_log.citations) AS cited
    JOIN passage ON passage.tenant = answer_log.tenant AND passage.id = (cited ->> 'passageId')::uuid
    ON CONFLICT DO NOTHING"""

_FORGET_RECALLS = (
    "ALTER TABLE notice NO FORCE ROW LEVEL SECURITY",
    "ALTER TABLE notice_delivery NO FORCE ROW LEVEL SECURITY",
    """DELETE FROM notice_delivery USING notice
        WHERE notice.tenant = notice_delivery.tenant AND notice.id = notice_delivery.notice AND notice.kind = 'RECALL'""",
    "DELETE FROM notice WHERE kind = 'RECALL'",
    "ALTER TABLE notice DROP CONSTRAINT notice_kind_check",
    "ALTER TABLE notice ADD CONSTRAINT notice_kind_check CHECK (kind IN ('OVERDUE', 'EXPIRING', 'CONFLICT'))",
    "ALTER TABLE notice FORCE ROW LEVEL SECURITY",
    "ALTER TABLE notice_delivery FORCE ROW LEVEL SECURITY",
)


def upgrade() -> None:
    """Create the tables and give the answers of before their place."""
    for statement in _CREATE:
        op.execute(statement)
    for table in _READ:
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    op.execute(_BACKFILL)
    for table in _READ:
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    for table in _TABLES:
        for statement in tenant_policy(table):
            op.execute(statement)
    # A verdict stays as it was given; only what it says of a customer who was erased may be emptied.
    op.execute(f"REVOKE UPDATE, DELETE, TRUNCATE ON review_verdict FROM {_APP}")
    op.execute(f"GRANT UPDATE (note) ON review_verdict TO {_APP}")
    columns = ("tenant", "state", "waiting_since", "held_until")
    for statement in sweeper_policy("review_item", role=_SWEEPER, columns=columns):
        op.execute(statement)


def downgrade() -> None:
    """Drop the tables and forget notices of a kind that is gone."""
    for table in reversed(_TABLES):
        op.execute(f"DROP TABLE {table}")
    for statement in _FORGET_RECALLS:
        op.execute(statement)
