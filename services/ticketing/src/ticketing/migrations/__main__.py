"""Bring the database of ticketing to the newest revision: `python -m ticketing.migrations`, as the owner."""

import sys
from pathlib import Path

from runtime.migrating import migrate_as_owner

if __name__ == "__main__":
    sys.exit(migrate_as_owner("ticketing", folder=Path(__file__).parent))
