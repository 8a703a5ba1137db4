"""Keep with an escalation what a person wrote when its ticket was solved."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE escalation ADD COLUMN solution text")


def downgrade() -> None:
    op.execute("ALTER TABLE escalation DROP COLUMN solution")
