"""Decide which answers a second model looks at, and when a check that failed is tried again."""

import hashlib
from datetime import timedelta
from typing import Final
from uuid import UUID

_ALL: Final = 2**64
_WAITS: Final = (timedelta(minutes=1), timedelta(minutes=10))


def is_sampled(attempt_id: UUID, rate: float) -> bool:
    """Tell whether an answer is in the sample. Repeat: an attempt is in or out, whoever asks; a higher rate keeps it in."""
    drawn = int.from_bytes(hashlib.sha256(b"sample" + attempt_id.bytes).digest()[:8], "big")
    return drawn < rate * _ALL


def wait_after(tries: int) -> timedelta | None:
    """Say how long a check waits after so many tries; None when it is given up."""
    return _WAITS[tries - 1] if 0 < tries <= len(_WAITS) else None
