"""Bring the database of bff to the newest revision: `python -m bff.migrations`, as the owner."""

import sys
from pathlib import Path

from runtime.migrating import migrate_as_owner

if __name__ == "__main__":
    sys.exit(migrate_as_owner("bff", folder=Path(__file__).parent))
