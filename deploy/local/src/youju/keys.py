"""Make the key sets of a local installation once."""

from pathlib import Path
from typing import Final

from runtime.tokens import add_key, private_file, public_file

# Who signs: bff calling knowledge, a member of staff, bff for its guests.
NAMES: Final = ("service", "staff", "guest")


def make_missing_keys(folder: Path) -> None:
    """Create each key set that does not exist. Repeat: existing keys stay."""
    for name in NAMES:
        if not private_file(folder, name).exists():
            add_key(private_file(folder, name), public_file(folder, name))
