"""The answer log: openings, closings and causes, which the app role may only add and read."""

from alembic import op

from runtime.database import tenant_policy

revision = "0002"
down_revision = "0001"

_APP = "knowledge_app"
_CREATE = (
    """CREATE TABLE answer_opening (
        tenant text, attempt uuid, try smallint, retry_of uuid, conversation text NOT NULL, channel text NOT NULL,
        audience text[] NOT NULL, language text NOT NULL, as_of date NOT NULL, asked_at timestamptz NOT NULL,
        question_masked text NOT NULL, facts jsonb NOT NULL, typed_facts jsonb NOT NULL,
        settings_fingerprint text NOT NULL, trace_id text NOT NULL,
        opened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (tenant, attempt, try))""",
    """CREATE TABLE answer_log (
        tenant text, attempt uuid, try smallint, version integer, routing_policy text, calibration jsonb NOT NULL,
        route text, route_rule text,
        outcome text NOT NULL CHECK (outcome IN ('answered', 'refused', 'failed')),
        reason text, cause text, failure text, handoff text, strength text, read_as jsonb NOT NULL,
        lacking jsonb NOT NULL, candidates jsonb NOT NULL, policy_context uuid[] NOT NULL, drafts jsonb NOT NULL,
        faults text[] NOT NULL, result jsonb, citations jsonb NOT NULL, writer text, model text, prompt_version text,
        input_tokens integer NOT NULL, output_tokens integer NOT NULL, cost numeric(12, 6), finish_reason text,
        stage_milliseconds jsonb NOT NULL, closed_at timestamptz NOT NULL,
        PRIMARY KEY (tenant, attempt, try),
        FOREIGN KEY (tenant, attempt, try) REFERENCES answer_opening (tenant, attempt, try),
        CHECK ((outcome = 'failed') = (failure IS NOT NULL) AND (outcome = 'failed') = (result IS NULL)),
        CHECK ((outcome = 'refused') = (reason IS NOT NULL)))""",
    "CREATE INDEX ix_answer_log_closed_at ON answer_log (tenant, closed_at)",
    """CREATE TABLE answer_cause (
        tenant text, attempt uuid, try smallint, cause text NOT NULL, candidates jsonb NOT NULL,
        noted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (tenant, attempt, try),
        FOREIGN KEY (tenant, attempt, try) REFERENCES answer_log (tenant, attempt, try))""",
)
_TABLES = ("answer_opening", "answer_log", "answer_cause")


def upgrade() -> None:
    for statement in _CREATE:
        op.execute(statement)
    for table in _TABLES:
        for statement in tenant_policy(table):
            op.execute(statement)
        op.execute(f"REVOKE UPDATE, DELETE, TRUNCATE ON {table} FROM {_APP}")


def downgrade() -> None:
    for table in reversed(_TABLES):
        op.execute(f"DROP TABLE {table}")
