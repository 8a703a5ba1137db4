"""Note of every closed attempt whether knowledge's log agrees with it.

Attempts that were closed before are not compared: knowledge may have dropped their log by its own retention.
"""

from alembic import op

revision = "0006"
down_revision = "0005"

# The two defaults let earlier rows bear another value than later ones without rewriting the table.
STATEMENTS = (
    "ALTER TABLE attempt ADD COLUMN agreement text DEFAULT 'unchecked'",
    "ALTER TABLE attempt ALTER COLUMN agreement DROP DEFAULT",
    # Row-level security is forced on the owner as on everybody: without this the next statement would see no row.
    "ALTER TABLE attempt NO FORCE ROW LEVEL SECURITY",
    "UPDATE attempt SET agreement = NULL WHERE status = 'PENDING'",
    "ALTER TABLE attempt FORCE ROW LEVEL SECURITY",
    (
        "ALTER TABLE attempt ADD CONSTRAINT ck_attempt_agreement"
        " CHECK (agreement IN ('unchecked', 'agreed', 'explained', 'different')) NOT VALID"
    ),
    "ALTER TABLE attempt VALIDATE CONSTRAINT ck_attempt_agreement",
    (
        "CREATE INDEX ix_attempt_uncompared ON attempt (tenant, completed_at)"
        " WHERE status <> 'PENDING' AND agreement IS NULL"
    ),
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    op.execute("DROP INDEX ix_attempt_uncompared")
    op.execute("ALTER TABLE attempt DROP COLUMN agreement")
