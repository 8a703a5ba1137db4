"""Bring the database of knowledge to the newest revision: `python -m knowledge.migrations`, as the owner."""

import sys
from pathlib import Path

from runtime.migrating import migrate_as_owner

if __name__ == "__main__":
    sys.exit(migrate_as_owner("knowledge", folder=Path(__file__).parent))
