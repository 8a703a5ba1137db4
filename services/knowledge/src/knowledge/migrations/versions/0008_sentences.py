"""Sentence vectors that follow a version in the background."""

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Change nothing yet."""


def downgrade() -> None:
    """Take nothing back."""
