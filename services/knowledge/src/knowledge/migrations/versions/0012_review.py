"""Doubtful answers waiting for a person."""

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Change nothing yet."""


def downgrade() -> None:
    """Take nothing back."""
