"""Let each try note the stopwatch of its machine, by which others there know how long ago it was, whatever clocks show."""

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.execute(
        "ALTER TABLE ticket_try ADD COLUMN machine text,"
        " ADD COLUMN began double precision, ADD COLUMN ended double precision"
    )


def downgrade() -> None:
    op.execute("ALTER TABLE ticket_try DROP COLUMN machine, DROP COLUMN began, DROP COLUMN ended")
