"""Imports in batches: read drafts, problems, archives, counters, and what of a dead version is still to be removed."""

from alembic import op

from runtime.database import sweeper_policy, tenant_policy

revision = "0005"
down_revision = "0004"

_SWEEPER = "knowledge_sweeper"
_STATES = "'DRAFT', 'STAGED', 'EVALUATED', 'APPROVED', 'PUBLISHED', 'RETIRED', 'FAILED', 'DISCARDED'"

_CREATE = (
    # The record of a file that was read, and its masked text; `text_of` names the revision whose text it shares
    # instead, `kept` is one an additive import takes over. `id` is the revision's, should none like it be there.
    """CREATE TABLE read_draft (
        tenant text, import_id uuid, id uuid, path text NOT NULL, slug text NOT NULL, label text NOT NULL,
        title text NOT NULL, language text NOT NULL, owner text, area text, segments text NOT NULL,
        tags text[] NOT NULL, priority integer NOT NULL, review_date date, effective_from date, effective_to date,
        declared_to date, superseded_by text, applies_to text, requires_facts text[] NOT NULL, decision text NOT NULL,
        public boolean NOT NULL, source_url text, source text, content_sha256 text NOT NULL, origin_sha256 text,
        text_of uuid, kept boolean NOT NULL DEFAULT false,
        page_lines integer[] NOT NULL DEFAULT '{}', masks jsonb NOT NULL DEFAULT '[]',
        PRIMARY KEY (tenant, import_id, id), CHECK ((source IS NULL) = (text_of IS NOT NULL)),
        FOREIGN KEY (tenant, import_id) REFERENCES import_job (tenant, id))""",
    """CREATE TABLE import_problem (
        tenant text, import_id uuid, number bigint GENERATED ALWAYS AS IDENTITY, path text NOT NULL,
        field text NOT NULL, code text NOT NULL, sentence text NOT NULL, slug text,
        PRIMARY KEY (tenant, import_id, number),
        FOREIGN KEY (tenant, import_id) REFERENCES import_job (tenant, id))""",
    """CREATE TABLE archive_part (
        tenant text, import_id uuid, path text, number integer, content bytea NOT NULL,
        PRIMARY KEY (tenant, import_id, path, number),
        FOREIGN KEY (tenant, import_id) REFERENCES import_job (tenant, id))""",
    """CREATE TABLE passage_duplicate (
        tenant text, version integer, ordinal integer, passage uuid NOT NULL, other uuid NOT NULL,
        similarity real NOT NULL, PRIMARY KEY (tenant, version, ordinal))""",
)
_TABLES = ("read_draft", "import_problem", "archive_part", "passage_duplicate")

# Where the text of a passage says what others say: one number a band of its MinHash; equal numbers make a candidate.
_PASSAGE_COLUMNS = (
    "ADD COLUMN bands bigint[] NOT NULL DEFAULT '{}'",
    # Where a passage stands in its source, counted from 1, and what the text itself says about its reach.
    "ADD COLUMN page integer, ADD COLUMN line integer NOT NULL DEFAULT 1, ADD COLUMN applies_to text",
)

_ALTER = (
    "ALTER TABLE import_job DROP CONSTRAINT IF EXISTS import_job_step_check",
    "ALTER TABLE import_job DROP CONSTRAINT import_job_state_check",
    """ALTER TABLE import_job
        ADD CONSTRAINT import_job_state_check CHECK (state IN ('RECEIVING', 'RUNNING', 'STAGED', 'FAILED', 'DISCARDED')),
        ADD COLUMN faulty text NOT NULL DEFAULT 'leave_out' CHECK (faulty IN ('leave_out', 'refuse')),
        ADD COLUMN files_read integer NOT NULL DEFAULT 0,
        ADD COLUMN passages integer NOT NULL DEFAULT 0,
        ADD COLUMN vectors integer NOT NULL DEFAULT 0,
        ADD COLUMN step_vectors integer NOT NULL DEFAULT 0,
        ADD COLUMN step_began_at timestamptz NOT NULL DEFAULT clock_timestamp()""",
    # What an archive holds is a file of its own; `archive` names where it came from, `entries_done` how far it is.
    """ALTER TABLE import_file
        ADD COLUMN kind text NOT NULL DEFAULT 'file' CHECK (kind IN ('file', 'archive')),
        ADD COLUMN size_bytes bigint NOT NULL DEFAULT 0,
        ADD COLUMN archive text,
        ADD COLUMN entries_done integer NOT NULL DEFAULT 0,
        ADD COLUMN unpacked_bytes bigint NOT NULL DEFAULT 0,
        ADD COLUMN failures smallint NOT NULL DEFAULT 0""",
    """CREATE INDEX ix_import_file_waiting ON import_file (tenant, import_id, failures, ordinal, path)
        WHERE content IS NOT NULL""",
    "CREATE INDEX ix_import_job_receiving ON import_job (created_at) WHERE state = 'RECEIVING'",
    # What bytes, header and reader a revision was read from: an equal file is not read again.
    "ALTER TABLE revision ADD COLUMN origin_sha256 text, ADD COLUMN page_lines integer[] NOT NULL DEFAULT '{}'",
    "CREATE INDEX ix_revision_origin ON revision (tenant, origin_sha256) WHERE origin_sha256 IS NOT NULL",
    "CREATE INDEX ix_revision_received ON revision (tenant, id) WHERE state = 'RECEIVED'",
    "ALTER TABLE version DROP CONSTRAINT version_state_check",
    f"""ALTER TABLE version
        ADD CONSTRAINT version_state_check CHECK (state IN ({_STATES})),
        ADD COLUMN problems integer NOT NULL DEFAULT 0,
        ADD COLUMN base_version integer,
        ADD COLUMN changes jsonb,
        ADD COLUMN duplicates integer NOT NULL DEFAULT 0,
        ADD COLUMN clean_after timestamptz NOT NULL DEFAULT clock_timestamp(),
        ADD COLUMN cleaned_at timestamptz""",
    """CREATE INDEX ix_version_leftovers ON version (clean_after)
        WHERE state IN ('FAILED', 'DISCARDED') AND cleaned_at IS NULL""",
    f"GRANT SELECT (created_at) ON import_job TO {_SWEEPER}",
)

# Problems of earlier imports move to their table; row-level security is forced on the owner as on everybody, so it is
# lifted for this one statement, inside the transaction.
_MOVE = (
    "ALTER TABLE import_job NO FORCE ROW LEVEL SECURITY",
    """INSERT INTO import_problem (tenant, import_id, path, field, code, sentence)
        SELECT job.tenant, job.id, told ->> 'path', told ->> 'field', told ->> 'code', told ->> 'sentence'
        FROM import_job AS job, jsonb_array_elements(job.problems) AS told""",
    "ALTER TABLE import_job FORCE ROW LEVEL SECURITY",
)

# The sets of states stay wide: rows may be in one of the new ones.
_BACK = (
    "DROP POLICY sweeper ON version",
    "DROP INDEX ix_revision_received, ix_import_file_waiting, ix_import_job_receiving",
    """ALTER TABLE import_job DROP COLUMN faulty, DROP COLUMN files_read, DROP COLUMN passages, DROP COLUMN vectors,
        DROP COLUMN step_vectors, DROP COLUMN step_began_at""",
    """ALTER TABLE import_file DROP COLUMN kind, DROP COLUMN size_bytes, DROP COLUMN archive, DROP COLUMN entries_done,
        DROP COLUMN unpacked_bytes, DROP COLUMN failures""",
    """ALTER TABLE version DROP COLUMN problems, DROP COLUMN base_version, DROP COLUMN changes, DROP COLUMN duplicates,
        DROP COLUMN clean_after, DROP COLUMN cleaned_at""",
    "ALTER TABLE revision DROP COLUMN origin_sha256, DROP COLUMN page_lines",
    "ALTER TABLE passage DROP COLUMN bands, DROP COLUMN page, DROP COLUMN line, DROP COLUMN applies_to",
)


def upgrade() -> None:
    for statement in (*_CREATE, *_ALTER, *_MOVE):
        op.execute(statement)
    for columns in _PASSAGE_COLUMNS:
        op.execute(f"ALTER TABLE passage {columns}")
    for table in _TABLES:
        for statement in tenant_policy(table):
            op.execute(statement)
    swept = ("tenant", "number", "state", "clean_after", "cleaned_at")
    for statement in sweeper_policy("version", role=_SWEEPER, columns=swept):
        op.execute(statement)


def downgrade() -> None:
    for statement in _BACK:
        op.execute(statement)
    for table in reversed(_TABLES):
        op.execute(f"DROP TABLE {table}")
