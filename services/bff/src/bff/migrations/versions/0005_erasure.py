"""What retention and erasure leave behind."""

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Change nothing yet."""


def downgrade() -> None:
    """Take nothing back."""
