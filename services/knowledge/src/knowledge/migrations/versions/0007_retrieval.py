"""A second dense arm: vectors by dimension, and versions that say which embedder made theirs."""

from alembic import op

from runtime.database import tenant_policy

revision = "0007"
down_revision = "0006"

_APP = "knowledge_app"
_PARTITIONS = 8
_STEPS = "'UNPACK', 'READ', 'LINK', 'STORE', 'SPLIT', 'COMPARE', 'INDEX', 'ARM', 'COUNT', 'HEAT', 'STAGE', 'DONE'"
_DIMENSIONS = (384, 768, 1024, 1536)


def upgrade() -> None:
    op.execute("ALTER TABLE version ADD COLUMN second_embedder text")
    # The cache holds vectors of several dimensions; nothing is searched in it.
    op.execute("ALTER TABLE vector_cache ALTER COLUMN embedding TYPE halfvec")
    op.execute(f"ALTER TABLE import_job ADD CONSTRAINT import_job_step_check CHECK (step IN ({_STEPS}))")
    # How much of a version each audience sees decides whether its vectors are all compared or asked by a graph.
    op.execute(
        "CREATE TABLE version_audience (tenant text, version integer, audience_id integer, passages integer NOT NULL,"
        " PRIMARY KEY (tenant, version, audience_id),"
        " FOREIGN KEY (tenant, version) REFERENCES version (tenant, number))"
    )
    for statement in tenant_policy("version_audience"):
        op.execute(statement)
    op.execute("CREATE INDEX ix_revision_audience_id ON revision (tenant, audience_id)")
    for dimension in _DIMENSIONS:
        _create_vectors(f"passage_vector_{dimension}", dimension)


def downgrade() -> None:
    for dimension in reversed(_DIMENSIONS):
        op.execute(f"DROP TABLE passage_vector_{dimension} CASCADE")
    op.execute("DROP INDEX ix_revision_audience_id")
    op.execute("DROP TABLE version_audience")
    # Row-level security hides the rows of every tenant from a DELETE, but a cache may be emptied as a whole.
    op.execute("TRUNCATE vector_cache")
    op.execute("ALTER TABLE vector_cache ALTER COLUMN embedding TYPE halfvec(512)")
    op.execute("ALTER TABLE import_job DROP CONSTRAINT import_job_step_check")
    op.execute("ALTER TABLE version DROP COLUMN second_embedder")


def _create_vectors(table: str, dimension: int) -> None:
    # Stored plain, because a vector that is kept out of line makes comparing all of them several times slower.
    op.execute(
        f"CREATE TABLE {table} (tenant text, arm text, passage uuid,"
        f" embedding halfvec({dimension}) STORAGE PLAIN NOT NULL, hot boolean NOT NULL DEFAULT false,"
        " PRIMARY KEY (tenant, arm, passage)) PARTITION BY HASH (tenant)"
    )
    for number in range(_PARTITIONS):
        name = f"{table}_p{number}"
        op.execute(
            f"CREATE TABLE {name} PARTITION OF {table} FOR VALUES WITH (MODULUS {_PARTITIONS}, REMAINDER {number})"
        )
        op.execute(f"REVOKE ALL ON {name} FROM {_APP}")
        op.execute(f"GRANT MAINTAIN ON {name} TO {_APP}")
        for statement in tenant_policy(name):
            op.execute(statement)
    op.execute(
        f"CREATE INDEX ix_{table}_hot ON {table} USING hnsw (embedding halfvec_cosine_ops)"
        " WITH (m = 16, ef_construction = 64) WHERE hot"
    )
    op.execute(f"GRANT MAINTAIN ON {table} TO {_APP}")
    for statement in tenant_policy(table):
        op.execute(statement)
