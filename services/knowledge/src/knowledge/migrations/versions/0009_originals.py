"""Original bytes of imported files, encrypted."""

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Change nothing yet."""


def downgrade() -> None:
    """Take nothing back."""
