"""Bring the database of ticketing to the newest revision: `python -m ticketing.migrations`."""

import os
import sys
from pathlib import Path
from typing import Final

from runtime.migrating import migrate

_VARIABLE: Final = "YOUJU_TICKETING_OWNER_DATABASE_URL"


def run() -> None:
    """Migrate as the owner; leave with one sentence when no owner is named."""
    url = os.environ.get(_VARIABLE)
    if not url:
        sys.exit(f"{_VARIABLE} is not set.")
    migrate(url, folder=Path(__file__).parent)


if __name__ == "__main__":
    run()
