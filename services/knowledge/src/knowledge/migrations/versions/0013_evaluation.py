"""Golden sets, evaluation runs and thresholds."""

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Change nothing yet."""


def downgrade() -> None:
    """Take nothing back."""
