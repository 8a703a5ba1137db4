"""Sentence vectors that follow a version in the background, steps of an import that are bounded, and stored counts."""

from alembic import op

from runtime.database import sweeper_policy, tenant_policy

revision = "0008"
down_revision = "0007"

_SWEEPER = "knowledge_sweeper"
_BEFORE = "'UNPACK', 'READ', 'LINK', 'STORE', 'SPLIT', 'COMPARE', 'INDEX', 'ARM', 'COUNT', 'HEAT', 'STAGE', 'DONE'"
_STEPS = f"{_BEFORE}, 'SCALE', 'HINT'"

_CREATE = (
    # A version whose passages wait for the vectors of their sentences; the row goes with the last of them. `reached` is
    # the revision up to which all passages have theirs.
    """CREATE TABLE sentence_backlog (
        tenant text, version integer, pending integer NOT NULL, reached uuid, lease_token uuid,
        lease_until timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (tenant, version),
        FOREIGN KEY (tenant, version) REFERENCES version (tenant, number))""",
    # Pairs of passages on their way into the list of duplicates; the similarity is null until it is measured.
    """CREATE TABLE passage_pair (
        tenant text, version integer, passage uuid, other uuid, similarity real,
        PRIMARY KEY (tenant, version, passage, other))""",
)
_TABLES = ("sentence_backlog", "passage_pair")

_ALTER = (
    "CREATE INDEX ix_sentence_backlog_lease ON sentence_backlog (lease_until)",
    "ALTER TABLE import_job DROP CONSTRAINT import_job_step_check",
    f"ALTER TABLE import_job ADD CONSTRAINT import_job_step_check CHECK (step IN ({_STEPS}))",
    # `reached` is the revision up to which the present step is done, where it goes by revisions.
    "ALTER TABLE import_job ADD COLUMN size_bytes bigint NOT NULL DEFAULT 0, ADD COLUMN reached uuid",
    "ALTER TABLE passage ADD COLUMN term_ids bigint[], ADD COLUMN term_counts integer[]",
    # Null while a version is built: then they are counted.
    "ALTER TABLE version ADD COLUMN documents integer, ADD COLUMN revisions integer, ADD COLUMN masks integer",
)

_READ = ("import_job", "import_file", "version", "version_revision", "version_audience", "revision", "passage", "mask")
_FILL = (
    # Passages that were cut and are not indexed did not count their terms: they are cut again.
    """UPDATE revision SET state = 'RECEIVED'
        FROM passage WHERE passage.tenant = revision.tenant AND passage.revision = revision.id AND NOT passage.indexed""",
    "DELETE FROM passage WHERE NOT indexed",
    "UPDATE import_job SET step = 'SPLIT' WHERE state = 'RUNNING' AND step IN ('COMPARE', 'INDEX')",
    """UPDATE import_job SET size_bytes = held.size_bytes
        FROM (SELECT tenant, import_id, sum(size_bytes) AS size_bytes FROM import_file GROUP BY tenant, import_id) AS held
        WHERE held.tenant = import_job.tenant AND held.import_id = import_job.id AND import_job.state = 'RECEIVING'""",
    """UPDATE version SET documents = held.documents, revisions = held.revisions, masks = held.masks
        FROM (SELECT member.tenant, member.version, count(DISTINCT revision.document) AS documents,
                     count(*) AS revisions, coalesce(sum(masked.masks), 0) AS masks
              FROM version_revision AS member
              JOIN revision ON revision.tenant = member.tenant AND revision.id = member.revision
              LEFT JOIN (SELECT tenant, revision, count(*) AS masks FROM mask GROUP BY tenant, revision) AS masked
                     ON masked.tenant = member.tenant AND masked.revision = member.revision
              GROUP BY member.tenant, member.version) AS held
        WHERE held.tenant = version.tenant AND held.version = version.number
          AND version.state IN ('STAGED', 'EVALUATED', 'APPROVED', 'PUBLISHED', 'RETIRED')""",
    # A version that was built before its audiences were counted would have every vector compared.
    """INSERT INTO version_audience (tenant, version, audience_id, passages)
        SELECT member.tenant, member.version, passage.audience_id, count(*)
        FROM version_revision AS member
        JOIN version ON version.tenant = member.tenant AND version.number = member.version
        JOIN passage ON passage.tenant = member.tenant AND passage.revision = member.revision
        WHERE version.state IN ('STAGED', 'EVALUATED', 'APPROVED', 'PUBLISHED', 'RETIRED')
        GROUP BY member.tenant, member.version, passage.audience_id
        ON CONFLICT DO NOTHING""",
)

_VECTORS = ("passage_vector", "passage_vector_384", "passage_vector_768", "passage_vector_1024", "passage_vector_1536")
_BUILD_MEMORY = "256MB"


def upgrade() -> None:
    for statement in (*_CREATE, *_ALTER):
        op.execute(statement)
    _make_graphs(construction=128)
    _of_all_tenants(_READ, *_FILL)
    for table in _TABLES:
        for statement in tenant_policy(table):
            op.execute(statement)
    columns = ("tenant", "version", "lease_until")
    for statement in sweeper_policy("sentence_backlog", role=_SWEEPER, columns=columns):
        op.execute(statement)


def downgrade() -> None:
    """Take the tables back. Errors: RuntimeError while sentence vectors are pending, without which nothing is quoted."""
    op.execute("ALTER TABLE sentence_backlog NO FORCE ROW LEVEL SECURITY")
    if op.get_bind().exec_driver_sql("SELECT EXISTS (SELECT FROM sentence_backlog)").scalar_one():
        raise RuntimeError("Sentence vectors are pending; wait for them, then take this back.")
    for table in reversed(_TABLES):
        op.execute(f"DROP TABLE {table}")
    _make_graphs(construction=64)
    # An import that stands in one of the steps that go is scaled and staged by the step before.
    _of_all_tenants(("import_job",), "UPDATE import_job SET step = 'STAGE' WHERE step IN ('SCALE', 'HINT')")
    op.execute("ALTER TABLE import_job DROP CONSTRAINT import_job_step_check")
    op.execute(f"ALTER TABLE import_job ADD CONSTRAINT import_job_step_check CHECK (step IN ({_BEFORE}))")
    op.execute("ALTER TABLE import_job DROP COLUMN size_bytes, DROP COLUMN reached")
    op.execute("ALTER TABLE passage DROP COLUMN term_ids, DROP COLUMN term_counts")
    op.execute("ALTER TABLE version DROP COLUMN documents, DROP COLUMN revisions, DROP COLUMN masks")


def _make_graphs(*, construction: int) -> None:
    """Make the graphs of vectors anew, with so many neighbours looked at: texts with near copies are lost in a hasty one."""
    op.execute(f"SET LOCAL maintenance_work_mem = '{_BUILD_MEMORY}'")
    for table in _VECTORS:
        op.execute(f"DROP INDEX ix_{table}_hot")
        op.execute(
            f"CREATE INDEX ix_{table}_hot ON {table} USING hnsw (embedding halfvec_cosine_ops)"
            f" WITH (m = 16, ef_construction = {construction}) WHERE hot"
        )


def _of_all_tenants(tables: tuple[str, ...], *statements: str) -> None:
    """Run statements over the rows of every tenant: row-level security is forced on the owner as on everybody."""
    for table in tables:
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    for statement in statements:
        op.execute(statement)
    for table in tables:
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
