"""Golden cases, thresholds, and runs of an evaluation with what every case came to."""

from alembic import op

from runtime.database import sweeper_policy, tenant_policy

revision = "0013"
down_revision = "0012"

_APP = "knowledge_app"
_SWEEPER = "knowledge_sweeper"

_CREATE = (
    """CREATE TABLE golden_case (
        tenant text, id text, case_set text NOT NULL CHECK (case_set IN ('golden', 'safety')), category text NOT NULL,
        language text NOT NULL, content jsonb NOT NULL, attempt uuid, added_by text NOT NULL,
        added_at timestamptz NOT NULL DEFAULT clock_timestamp(), retired_by text, retired_at timestamptz,
        retired_reason text, PRIMARY KEY (tenant, id),
        CHECK (num_nulls(retired_by, retired_at, retired_reason) IN (0, 3)))""",
    """CREATE TABLE evaluation_threshold (
        tenant text, number bigint GENERATED ALWAYS AS IDENTITY, bounds jsonb NOT NULL, set_by text NOT NULL,
        set_at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (tenant, number))""",
    """CREATE TABLE evaluation_run (
        tenant text, id uuid, version integer NOT NULL, published integer, case_sets text[] NOT NULL,
        state text NOT NULL DEFAULT 'RUNNING' CHECK (state IN ('RUNNING', 'DONE', 'FAILED')),
        fingerprint text NOT NULL, settings jsonb NOT NULL, threshold bigint, today date NOT NULL,
        total integer NOT NULL, done integer NOT NULL DEFAULT 0, tries integer NOT NULL DEFAULT 0,
        lease_token uuid, lease_until timestamptz NOT NULL DEFAULT clock_timestamp(), reason text, summary jsonb,
        verdict text CHECK (verdict IN ('PASSED', 'MISSED', 'NOT_GATED')), missed jsonb NOT NULL DEFAULT '[]',
        started_by text NOT NULL, started_at timestamptz NOT NULL DEFAULT clock_timestamp(), finished_at timestamptz,
        PRIMARY KEY (tenant, id), FOREIGN KEY (tenant, version) REFERENCES version (tenant, number),
        FOREIGN KEY (tenant, threshold) REFERENCES evaluation_threshold (tenant, number))""",
    "CREATE UNIQUE INDEX ux_evaluation_run_running ON evaluation_run (tenant, version) WHERE state = 'RUNNING'",
    "CREATE INDEX ix_evaluation_run_version ON evaluation_run (tenant, version, started_at DESC)",
    "CREATE INDEX ix_evaluation_run_due ON evaluation_run (lease_until) WHERE state = 'RUNNING'",
    # A row is there from the start of its run, so that what is left to ask is what has no result.
    """CREATE TABLE evaluation_result (
        tenant text, run uuid, side text CHECK (side IN ('candidate', 'published')), ordinal integer,
        case_id text NOT NULL, result jsonb, asked_at timestamptz, PRIMARY KEY (tenant, run, side, ordinal),
        UNIQUE (tenant, run, side, case_id),
        FOREIGN KEY (tenant, run) REFERENCES evaluation_run (tenant, id) ON DELETE CASCADE,
        FOREIGN KEY (tenant, case_id) REFERENCES golden_case (tenant, id))""",
)
_TABLES = ("golden_case", "evaluation_threshold", "evaluation_run", "evaluation_result")


def upgrade() -> None:
    for statement in _CREATE:
        op.execute(statement)
    for table in _TABLES:
        for statement in tenant_policy(table):
            op.execute(statement)
    # A case is retired and stays readable; thresholds are what they were when a run began.
    op.execute(f"REVOKE DELETE, TRUNCATE ON golden_case FROM {_APP}")
    op.execute(f"REVOKE UPDATE, DELETE, TRUNCATE ON evaluation_threshold FROM {_APP}")
    for statement in sweeper_policy("evaluation_run", role=_SWEEPER, columns=("tenant", "id", "state", "lease_until")):
        op.execute(statement)


def downgrade() -> None:
    for table in reversed(_TABLES):
        op.execute(f"DROP TABLE {table}")
