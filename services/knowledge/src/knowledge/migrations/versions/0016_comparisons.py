"""What was compared once: how alike two passages are, by what a version was compared, and what it left out."""

from alembic import op

from runtime.database import tenant_policy

revision = "0016"
down_revision = "0015"

_UPGRADE = (
    # Two passages never change, so that what was measured of them holds in every version.
    """CREATE TABLE passage_likeness (
        tenant text, measure text, passage uuid, other uuid, similarity real NOT NULL,
        PRIMARY KEY (tenant, measure, passage, other))""",
    "CREATE INDEX ix_passage_likeness_other ON passage_likeness (tenant, other)",
    # Revisions of a version that were withdrawn when its sentences were compared.
    """CREATE TABLE conflict_omitted (
        tenant text, version integer, revision uuid, PRIMARY KEY (tenant, version, revision),
        FOREIGN KEY (tenant, version) REFERENCES version (tenant, number))""",
    "ALTER TABLE passage_pair DROP COLUMN similarity",
    # The default names what compared the versions there are.
    "ALTER TABLE version ADD COLUMN comparer text DEFAULT 'subjects-1'",
    "ALTER TABLE version ALTER COLUMN comparer DROP DEFAULT",
)
_TABLES = ("passage_likeness", "conflict_omitted")


def upgrade() -> None:
    """Add the tables and the column; what is under way measures its pairs anew."""
    for statement in _UPGRADE:
        op.execute(statement)
    for table in _TABLES:
        for statement in tenant_policy(table):
            op.execute(statement)


def downgrade() -> None:
    """Drop them; pairs on their way are measured anew."""
    op.execute("ALTER TABLE version DROP COLUMN comparer")
    op.execute("ALTER TABLE passage_pair ADD COLUMN similarity real")
    for table in reversed(_TABLES):
        op.execute(f"DROP TABLE {table}")
