"""Ids: UUIDv7 in the databases, printed with a prefix that says what they name.

Source: RFC 9562 section 5.7 (time-ordered UUIDs); decision 5 of the architecture page.
"""

import secrets
import time
from collections.abc import Callable
from typing import Final, Literal
from uuid import UUID

Prefix = Literal["att", "cnv", "esc", "tic", "msg", "ver", "doc", "rev", "job", "cus", "ntc", "prp", "run"]
IdSource = Callable[[], UUID]

_HEX_DIGITS: Final = 32


class MalformedIdError(ValueError):
    """This is not an id of that kind."""


def uuid7() -> UUID:
    """Make a time-ordered UUID from the clock and 74 random bits."""
    milliseconds = time.time_ns() // 1_000_000
    value = (milliseconds & (1 << 48) - 1) << 80 | 0x7 << 76 | secrets.randbits(12) << 64 | 0b10 << 62
    return UUID(int=value | secrets.randbits(62))


def printed(prefix: Prefix, value: UUID) -> str:
    """Print an id as clients see it: `att_` and 32 hexadecimal digits."""
    return f"{prefix}_{value.hex}"


def parsed(prefix: Prefix, text: str) -> UUID:
    """Read a printed id back.

    Errors: MalformedIdError when the prefix differs or the rest is no UUID; at the edge this is a 404, like a foreign id.
    """
    kind, _, digits = text.partition("_")
    if kind != prefix or len(digits) != _HEX_DIGITS or digits != digits.lower():
        raise MalformedIdError(text)
    try:
        return UUID(hex=digits)
    except ValueError as malformed:
        raise MalformedIdError(text) from malformed
