"""Create conversations, attempts, feedback, escalations and the outbox, shut to all but their tenant."""

from alembic import op

from runtime.database import sweeper_policy, tenant_policy
from runtime.outbox import outbox_policies

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

SWEEPER = "bff_sweeper"

CONVERSATION = """
CREATE TABLE conversation (
    id uuid CONSTRAINT pk_conversation PRIMARY KEY,
    tenant text NOT NULL,
    customer text NOT NULL,
    channel text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
)
"""

ATTEMPT = """
CREATE TABLE attempt (
    id uuid CONSTRAINT pk_attempt PRIMARY KEY,
    tenant text NOT NULL,
    customer text NOT NULL,
    channel text NOT NULL,
    conversation_id uuid NOT NULL
        CONSTRAINT fk_attempt_conversation_id REFERENCES conversation ON DELETE CASCADE,
    retry_of_attempt_id uuid,
    lineage_id uuid NOT NULL,
    status text NOT NULL DEFAULT 'PENDING',
    question text NOT NULL,
    language text NOT NULL,
    as_of date NOT NULL,
    asked_at timestamptz NOT NULL,
    typed_facts jsonb NOT NULL,
    trace_id text NOT NULL,
    knowledge_version integer,
    outcome jsonb,
    citations jsonb NOT NULL DEFAULT '[]',
    events jsonb,
    refused boolean NOT NULL DEFAULT false,
    reason_code text,
    handoff text NOT NULL DEFAULT 'none',
    failure_code text,
    lease_holder uuid,
    lease_until timestamptz,
    request_route text,
    request_key text,
    request_hash text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    completed_at timestamptz,
    CONSTRAINT ck_attempt_status CHECK (status IN ('PENDING', 'COMPLETED', 'FAILED')),
    CONSTRAINT ck_attempt_completed_has_outcome CHECK ((status = 'COMPLETED') = (outcome IS NOT NULL)),
    CONSTRAINT ck_attempt_failed_has_code CHECK ((status = 'FAILED') = (failure_code IS NOT NULL)),
    CONSTRAINT ck_attempt_closed_has_events CHECK ((status = 'PENDING') = (events IS NULL))
)
"""

FEEDBACK = """
CREATE TABLE feedback (
    attempt_id uuid NOT NULL
        CONSTRAINT fk_feedback_attempt_id REFERENCES attempt ON DELETE CASCADE,
    customer text NOT NULL,
    tenant text NOT NULL,
    rating text NOT NULL,
    reason_code text,
    comment text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    corrected_at timestamptz,
    CONSTRAINT pk_feedback PRIMARY KEY (attempt_id, customer),
    CONSTRAINT ck_feedback_reason_follows_rating CHECK ((rating = 'NOT_HELPFUL') = (reason_code IS NOT NULL))
)
"""

ESCALATION = """
CREATE TABLE escalation (
    id uuid CONSTRAINT pk_escalation PRIMARY KEY,
    tenant text NOT NULL,
    customer text NOT NULL,
    conversation_id uuid NOT NULL
        CONSTRAINT fk_escalation_conversation_id REFERENCES conversation ON DELETE CASCADE,
    attempt_id uuid NOT NULL
        CONSTRAINT fk_escalation_attempt_id REFERENCES attempt ON DELETE CASCADE,
    origin text NOT NULL,
    note text,
    status text NOT NULL DEFAULT 'REQUESTED',
    ticket_number text,
    sequence integer NOT NULL DEFAULT 0,
    request_key text,
    request_hash text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT ck_escalation_origin CHECK (origin IN ('customer', 'rule')),
    CONSTRAINT ck_escalation_status
        CHECK (status IN ('REQUESTED', 'TICKET_CREATED', 'IN_PROGRESS', 'SOLVED', 'DELAYED'))
)
"""

OUTBOX = """
CREATE TABLE outbox (
    id uuid CONSTRAINT pk_outbox PRIMARY KEY,
    tenant text NOT NULL,
    type text NOT NULL,
    queue text NOT NULL,
    subject text NOT NULL,
    attempt_id text NOT NULL,
    data jsonb NOT NULL,
    traceparent text,
    state text NOT NULL DEFAULT 'PENDING',
    sends integer NOT NULL DEFAULT 0,
    next_send_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    acknowledged_at timestamptz
)
"""

INDEXES = (
    "CREATE INDEX ix_conversation_tenant_customer ON conversation (tenant, customer, created_at)",
    "CREATE INDEX ix_attempt_conversation ON attempt (conversation_id, created_at)",
    "CREATE INDEX ix_attempt_lineage ON attempt (lineage_id)",
    "CREATE UNIQUE INDEX uq_attempt_pending ON attempt (conversation_id) WHERE status = 'PENDING'",
    "CREATE INDEX ix_attempt_lease ON attempt (lease_until) WHERE status = 'PENDING'",
    "CREATE INDEX ix_attempt_running ON attempt (tenant, customer) WHERE status = 'PENDING'",
    (
        "CREATE UNIQUE INDEX uq_attempt_request ON attempt (tenant, customer, request_route, request_key)"
        " WHERE request_key IS NOT NULL"
    ),
    "CREATE UNIQUE INDEX uq_escalation_open ON escalation (conversation_id) WHERE status <> 'SOLVED'",
    "CREATE INDEX ix_escalation_attempt ON escalation (attempt_id)",
    (
        "CREATE UNIQUE INDEX uq_escalation_request ON escalation (tenant, customer, request_key)"
        " WHERE request_key IS NOT NULL"
    ),
    "CREATE INDEX ix_outbox_due ON outbox (next_send_at) WHERE state <> 'ACKNOWLEDGED'",
)

TENANT_TABLES = ("conversation", "attempt", "feedback", "escalation")


def upgrade() -> None:
    for table in (CONVERSATION, ATTEMPT, FEEDBACK, ESCALATION, OUTBOX):
        op.execute(table)
    for index in INDEXES:
        op.execute(index)
    for table in TENANT_TABLES:
        for statement in tenant_policy(table):
            op.execute(statement)
    for statement in sweeper_policy("attempt", role=SWEEPER, columns=("id", "tenant", "status", "lease_until")):
        op.execute(statement)
    for statement in outbox_policies(SWEEPER):
        op.execute(statement)


def downgrade() -> None:
    for table in ("outbox", "escalation", "feedback", "attempt", "conversation"):
        op.execute(f"DROP TABLE {table}")
