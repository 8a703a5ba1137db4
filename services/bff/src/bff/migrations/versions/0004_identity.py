"""Idempotency, identity and limits."""

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Change nothing yet."""


def downgrade() -> None:
    """Take nothing back."""
