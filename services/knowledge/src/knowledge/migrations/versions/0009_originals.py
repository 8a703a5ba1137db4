"""Originals of imported files, encrypted; and in which field of its record each mask stands."""

from alembic import op

from runtime.database import sweeper_policy, tenant_policy

revision = "0009"
down_revision = "0008"

_SWEEPER = "knowledge_sweeper"

_UPGRADE = (
    # What an owner deleted stays as a row without bytes, so that the same bytes do not come back with the next import;
    # it names no key.
    """CREATE TABLE original (
        tenant text, revision uuid, content_hash text NOT NULL CHECK (content_hash ~ '^[0-9a-f]{64}$'),
        size_bytes integer NOT NULL, key_id text NOT NULL, content bytea,
        kept_at timestamptz NOT NULL DEFAULT clock_timestamp(), deleted_at timestamptz, deleted_by text,
        PRIMARY KEY (tenant, revision),
        CHECK ((content IS NULL) = (deleted_at IS NOT NULL) AND (content IS NULL) = (deleted_by IS NOT NULL)),
        FOREIGN KEY (tenant, revision) REFERENCES revision (tenant, id) ON DELETE CASCADE)""",
    "CREATE INDEX ix_original_content_hash ON original (tenant, content_hash)",
    "CREATE INDEX ix_original_key_id ON original (key_id)",
    """CREATE TABLE draft_original (
        tenant text, import_id uuid, draft uuid, content_hash text NOT NULL, size_bytes integer NOT NULL,
        key_id text NOT NULL, content bytea NOT NULL, PRIMARY KEY (tenant, import_id, draft),
        FOREIGN KEY (tenant, import_id, draft) REFERENCES read_draft (tenant, import_id, id) ON DELETE CASCADE)""",
    # Encrypted bytes do not compress.
    "ALTER TABLE original ALTER content SET STORAGE EXTERNAL",
    "ALTER TABLE draft_original ALTER content SET STORAGE EXTERNAL",
    # Files that wait to be read are encrypted too; without a key they are not, and name none.
    "ALTER TABLE import_file ADD key_id text",
    "ALTER TABLE archive_part ADD key_id text",
    "ALTER TABLE mask ADD field text NOT NULL DEFAULT 'text'",
    "ALTER TABLE mask DROP CONSTRAINT mask_pkey",
    "ALTER TABLE mask ADD PRIMARY KEY (tenant, revision, field, source_start)",
)
_TABLES = ("original", "draft_original")
_WAITING = ("import_file", "archive_part")

# Row-level security binds the owner of the tables too, who has no tenant here.
_DOWNGRADE = (
    "DROP TABLE draft_original",
    "DROP TABLE original",
    "ALTER TABLE import_file DROP COLUMN key_id",
    "ALTER TABLE archive_part DROP COLUMN key_id",
    "ALTER TABLE mask NO FORCE ROW LEVEL SECURITY",
    "DELETE FROM mask WHERE field <> 'text'",
    "ALTER TABLE mask FORCE ROW LEVEL SECURITY",
    "ALTER TABLE mask DROP CONSTRAINT mask_pkey",
    "ALTER TABLE mask ADD PRIMARY KEY (tenant, revision, source_start)",
    "ALTER TABLE mask DROP COLUMN field",
)


def upgrade() -> None:
    """Create the tables and name the field of every mask."""
    for statement in _UPGRADE:
        op.execute(statement)
    for table in _TABLES:
        for statement in tenant_policy(table):
            op.execute(statement)
    for statement in sweeper_policy("original", role=_SWEEPER, columns=("tenant", "revision", "key_id")):
        op.execute(statement)


def downgrade() -> None:
    """Drop the originals, and the masks that stand in another field than the text.

    Errors: RuntimeError while encrypted files wait to be read: without the names of their keys they would be read as they are.
    """
    for table in _WAITING:
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
        asked = f"SELECT EXISTS (SELECT FROM {table} WHERE key_id IS NOT NULL AND content IS NOT NULL)"  # noqa: S608 - our own names
        if op.get_bind().exec_driver_sql(asked).scalar_one():
            raise RuntimeError("Encrypted files wait to be read; end or discard the imports, then take this back.")
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    for statement in _DOWNGRADE:
        op.execute(statement)
