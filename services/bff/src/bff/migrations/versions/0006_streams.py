"""What streams and reconciliation keep."""

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Change nothing yet."""


def downgrade() -> None:
    """Take nothing back."""
