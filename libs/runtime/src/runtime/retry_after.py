"""Read how long a server elsewhere asks to be left alone."""

from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

_LONGEST: Final = timedelta(days=1_000)


def read_retry_after(header: str | None, *, now: datetime, longest: timedelta = _LONGEST) -> timedelta | None:
    """Read `Retry-After`, seconds or a date; a date that is past means now, and None that it says nothing.

    Source: RFC 9110 section 10.2.3.
    """
    asked = None if header is None else _asked(header.strip(), now)
    return None if asked is None else min(max(asked, timedelta(0)), longest)


def _asked(text: str, now: datetime) -> timedelta | None:
    if text.isascii() and text.isdigit():
        return timedelta(seconds=min(int(text[:9]), 10**8))
    try:
        return parsedate_to_datetime(text) - now
    except (ValueError, TypeError, OverflowError):
        return None
