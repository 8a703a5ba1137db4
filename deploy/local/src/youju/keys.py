"""Make the key sets of a local installation once."""

from pathlib import Path
from typing import Final

from runtime.tokens import add_key, private_file, public_file

# Who signs: bff calling knowledge, a member of staff, bff for its guests.
NAMES: Final = ("service", "staff", "guest")


def make_missing_keys(folder: Path) -> None:
    """Create each key set that is not whole. Repeat: existing keys stay, also those of a start that was killed half-way."""
    for name in NAMES:
        pair = private_file(folder, name), public_file(folder, name)
        if not all(file.exists() for file in pair):
            add_key(*pair)
