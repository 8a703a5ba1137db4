"""Bring the database of knowledge to the newest revision: `python -m knowledge.migrations`, as the owner."""

import os
import sys
from pathlib import Path

from runtime.migrating import migrate

_VARIABLE = "YOUJU_KNOWLEDGE_OWNER_DATABASE_URL"


def main() -> int:
    """Migrate the database that the environment names and say which revision it is at."""
    url = os.environ.get(_VARIABLE)
    if not url:
        sys.stderr.write(f"{_VARIABLE} is not set.\n")
        return 2
    sys.stdout.write(f"knowledge is at {migrate(url, folder=Path(__file__).parent)}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
