"""Templates and what a person wrote back."""

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Change nothing yet."""


def downgrade() -> None:
    """Take nothing back."""
