"""Documents, versions, the search index, imports.

Partitions are out of reach of the app role: it reads and writes through the parents, whose policies then apply.
"""

from alembic import op

from runtime.database import sweeper_policy, tenant_policy

revision = "0001"
down_revision = None

_PARTITIONS = 8
_SWEEPER = "knowledge_sweeper"
_APP = "knowledge_app"

_PLAIN = (
    """CREATE TABLE tenant_pointer (
        tenant text PRIMARY KEY, current_version integer, last_version integer NOT NULL DEFAULT 0)""",
    """CREATE TABLE document (
        tenant text, id uuid, slug text NOT NULL, created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (tenant, id), UNIQUE (tenant, slug))""",
    """CREATE TABLE audience (
        tenant text, id integer GENERATED ALWAYS AS IDENTITY, segments text NOT NULL,
        PRIMARY KEY (tenant, id), UNIQUE (tenant, segments))""",
    """CREATE TABLE audience_segment (
        tenant text, segment text, audience_id integer, PRIMARY KEY (tenant, segment, audience_id),
        FOREIGN KEY (tenant, audience_id) REFERENCES audience (tenant, id))""",
    """CREATE TABLE revision (
        tenant text, id uuid, document uuid NOT NULL, label text NOT NULL, title text NOT NULL,
        language text NOT NULL, owner text, area text, tags text[] NOT NULL, priority integer NOT NULL,
        review_date date, effective_from date, effective_to date, declared_to date, superseded_by text,
        in_force_from date NOT NULL GENERATED ALWAYS AS (coalesce(effective_from, '-infinity'::date)) STORED,
        in_force_until date NOT NULL GENERATED ALWAYS AS (coalesce(effective_to + 1, 'infinity'::date)) STORED,
        audience_id integer NOT NULL, applies_to text, requires_facts text[] NOT NULL, decision text NOT NULL,
        public boolean NOT NULL, source_url text, path text NOT NULL, source text NOT NULL,
        content_sha256 text NOT NULL, fingerprint text NOT NULL,
        state text NOT NULL DEFAULT 'RECEIVED' CHECK (state IN ('RECEIVED', 'SPLIT')),
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (tenant, id), UNIQUE (tenant, document, fingerprint),
        CHECK (effective_from IS NULL OR effective_to IS NULL OR effective_from <= effective_to),
        FOREIGN KEY (tenant, document) REFERENCES document (tenant, id),
        FOREIGN KEY (tenant, audience_id) REFERENCES audience (tenant, id))""",
    """CREATE TABLE version (
        tenant text, number integer,
        state text NOT NULL CHECK (state IN ('DRAFT', 'STAGED', 'PUBLISHED', 'RETIRED', 'FAILED')),
        routing_policy text NOT NULL, calibration jsonb, analyser text NOT NULL, embedder text NOT NULL,
        passages integer NOT NULL DEFAULT 0, servable_passages integer NOT NULL DEFAULT 0,
        hot boolean NOT NULL DEFAULT false, reason text, import_id uuid, created_by text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(), staged_at timestamptz,
        published_by text, published_at timestamptz, PRIMARY KEY (tenant, number))""",
    "CREATE UNIQUE INDEX uq_version_published ON version (tenant) WHERE state = 'PUBLISHED'",
    """CREATE TABLE version_revision (
        tenant text, version integer, revision uuid, PRIMARY KEY (tenant, version, revision),
        FOREIGN KEY (tenant, version) REFERENCES version (tenant, number),
        FOREIGN KEY (tenant, revision) REFERENCES revision (tenant, id))""",
    "CREATE INDEX ix_version_revision_revision ON version_revision (tenant, revision)",
    """CREATE TABLE term_frequency (
        tenant text, version integer, term bigint, passages integer NOT NULL,
        PRIMARY KEY (tenant, version, term) INCLUDE (passages))""",
    """CREATE TABLE analyser_build (
        tenant text, analyser text, average_length real NOT NULL, PRIMARY KEY (tenant, analyser))""",
    """CREATE TABLE withdrawal (
        tenant text, document uuid, content_sha256 text, withdrawn_by text NOT NULL,
        withdrawn_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (tenant, document, content_sha256))""",
    """CREATE TABLE import_job (
        tenant text, id uuid,
        state text NOT NULL CHECK (state IN ('RECEIVING', 'RUNNING', 'STAGED', 'FAILED')),
        step text NOT NULL CHECK (step IN ('READ', 'SPLIT', 'INDEX', 'COUNT', 'HEAT', 'STAGE', 'DONE')),
        additive boolean NOT NULL, routing_policy text NOT NULL, problems jsonb NOT NULL DEFAULT '[]', reason text,
        version integer, files_total integer NOT NULL DEFAULT 0, slices_done integer NOT NULL DEFAULT 0,
        tries integer NOT NULL DEFAULT 0, lease_token uuid,
        lease_until timestamptz NOT NULL DEFAULT clock_timestamp(),
        created_by text NOT NULL, created_at timestamptz NOT NULL DEFAULT clock_timestamp(), finished_at timestamptz,
        PRIMARY KEY (tenant, id))""",
    "CREATE UNIQUE INDEX uq_import_job_running ON import_job (tenant) WHERE state = 'RUNNING'",
    "CREATE INDEX ix_import_job_lease ON import_job (lease_until) WHERE state = 'RUNNING'",
    """CREATE TABLE import_file (
        tenant text, import_id uuid, path text, ordinal integer NOT NULL, content bytea, header jsonb, revision uuid,
        PRIMARY KEY (tenant, import_id, path),
        FOREIGN KEY (tenant, import_id) REFERENCES import_job (tenant, id))""",
)

_PARTITIONED = {
    "passage": """
        tenant text, id uuid, revision uuid NOT NULL, ordinal integer NOT NULL, heading_path text[] NOT NULL,
        text text NOT NULL, source_start integer NOT NULL, source_end integer NOT NULL, audience_id integer NOT NULL,
        in_force_from date NOT NULL, in_force_until date NOT NULL, language text NOT NULL,
        terms integer NOT NULL, indexed boolean NOT NULL DEFAULT false,
        PRIMARY KEY (tenant, id), UNIQUE (tenant, revision, ordinal),
        FOREIGN KEY (tenant, revision) REFERENCES revision (tenant, id)""",
    "posting": """
        tenant text, term bigint, passage uuid, impact real NOT NULL,
        PRIMARY KEY (tenant, term, passage) INCLUDE (impact)""",
    "passage_vector": """
        tenant text, passage uuid, embedding halfvec(512) NOT NULL, hot boolean NOT NULL DEFAULT false,
        PRIMARY KEY (tenant, passage)""",
    "sentence": """
        tenant text, passage uuid, ordinal integer, text_start integer NOT NULL, text_end integer NOT NULL,
        embedding halfvec(512) NOT NULL, PRIMARY KEY (tenant, passage, ordinal)""",
    "vector_cache": """
        tenant text, embedder text, text_sha256 text, embedding halfvec(512) NOT NULL,
        PRIMARY KEY (tenant, embedder, text_sha256)""",
}

_AFTERWARDS = (
    "CREATE INDEX ix_passage_pending ON passage (tenant, revision) WHERE NOT indexed",
    # Only vectors of large tenants are hot, so that a small one never pays for building the graph.
    """CREATE INDEX ix_passage_vector_hot ON passage_vector USING hnsw (embedding halfvec_cosine_ops)
        WITH (m = 16, ef_construction = 64) WHERE hot""",
)

_TABLES = (
    "tenant_pointer", "document", "audience", "audience_segment", "revision", "version", "version_revision",
    "term_frequency", "analyser_build", "withdrawal", "import_job", "import_file", *_PARTITIONED,
)  # fmt: skip


def upgrade() -> None:
    for statement in _PLAIN:
        op.execute(statement)
    for table, columns in _PARTITIONED.items():
        op.execute(f"CREATE TABLE {table} ({columns}) PARTITION BY HASH (tenant)")
        for number in range(_PARTITIONS):
            _create_partition(table, number)
    for statement in _AFTERWARDS:
        op.execute(statement)
    for table in _TABLES:
        for statement in tenant_policy(table):
            op.execute(statement)
    for statement in sweeper_policy("import_job", role=_SWEEPER, columns=("id", "tenant", "state", "lease_until")):
        op.execute(statement)


def downgrade() -> None:
    for table in reversed(_TABLES):
        op.execute(f"DROP TABLE {table} CASCADE")


def _create_partition(table: str, number: int) -> None:
    name = f"{table}_p{number}"
    op.execute(f"CREATE TABLE {name} PARTITION OF {table} FOR VALUES WITH (MODULUS {_PARTITIONS}, REMAINDER {number})")
    op.execute(f"REVOKE ALL ON {name} FROM {_APP}")
    for statement in tenant_policy(name):
        op.execute(statement)
