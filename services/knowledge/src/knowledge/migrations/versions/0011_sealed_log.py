"""The answer log, sealed in hash-chained batches."""

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Change nothing yet."""


def downgrade() -> None:
    """Take nothing back."""
