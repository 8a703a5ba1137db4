"""Answers whether a process in this container is ready: `python -m runtime.probe` ends with 0 or 1.

A process without a port is ready while it touches the file that YOUJU_READY_FILE names at least once a minute. One with a port is ready when
`/health/ready` at the address YOUJU_PROBE_URL says so.
"""

import http.client
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from runtime.health import is_kept_ready

_TIMEOUT_SECONDS: Final = 3
_OK: Final = 200


def is_ready(given: Mapping[str, str]) -> bool:
    """Say whether the process that these settings describe is ready."""
    if ready_file := given.get("YOUJU_READY_FILE"):
        return is_kept_ready(Path(ready_file))
    return _answers(given.get("YOUJU_PROBE_URL", ""))


def _answers(url: str) -> bool:
    parts = urlsplit(url)
    if parts.hostname is None:
        return False
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=_TIMEOUT_SECONDS)
    try:
        connection.request("GET", "/health/ready")
        return connection.getresponse().status == _OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(0 if is_ready(os.environ) else 1)
