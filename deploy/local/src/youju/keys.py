"""Make the keys of a local installation once."""

import secrets
from pathlib import Path
from typing import Final

from runtime.tokens import add_key, private_file, public_file

# Who signs: bff calling knowledge, a member of staff, bff for its guests.
NAMES: Final = ("service", "staff", "guest")

_SECRET_BYTES: Final = 32


def make_missing_keys(folder: Path) -> None:
    """Create each key that is not whole. Repeat: existing keys stay, also those of a start that was killed half-way."""
    for name in NAMES:
        pair = private_file(folder, name), public_file(folder, name)
        if not all(file.exists() for file in pair):
            add_key(*pair)
    for file in (mask_key_file(folder), originals_keys_file(folder)):
        if not file.exists():
            _write_secret(file)


def mask_key_file(folder: Path) -> Path:
    """Name the file with the key under which knowledge hashes masked values."""
    return folder / "mask.key"


def originals_keys_file(folder: Path) -> Path:
    """Name the file with the keys under which knowledge encrypts originals, one a line; the first encrypts."""
    return folder / "originals.key"


def _write_secret(file: Path) -> None:
    draft = file.with_name(f"{file.name}.new")
    draft.touch(mode=0o600)
    draft.write_text(secrets.token_hex(_SECRET_BYTES), encoding="utf-8")
    draft.replace(file)
