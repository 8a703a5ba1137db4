"""Bring the database of bff to the newest revision: `python -m bff.migrations`."""

import os
import sys
from pathlib import Path

from runtime.migrating import migrate

_SETTING = "YOUJU_BFF_OWNER_DATABASE_URL"

if __name__ == "__main__":
    url = os.environ.get(_SETTING)
    if not url:
        sys.stderr.write(f"{_SETTING} is not set.\n")
        raise SystemExit(2)
    sys.stdout.write(f"bff is at {migrate(url, folder=Path(__file__).parent)}\n")
