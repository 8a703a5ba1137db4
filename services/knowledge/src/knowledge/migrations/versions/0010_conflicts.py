"""Dismissals of conflicts and fitted calibrations."""

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Change nothing yet."""


def downgrade() -> None:
    """Take nothing back."""
