"""Know how often a helpdesk is asked what people did with a ticket."""

from datetime import timedelta
from typing import Final

# A ticket is taken up in its first hours or waits for days: half a minute for an hour, then ever rarer, at most hourly.
_STEPS: Final = (
    (120, timedelta(seconds=30)),
    (240, timedelta(minutes=2)),
    (500, timedelta(minutes=10)),
)
_RARELY: Final = timedelta(hours=1)


def wait_before_poll(polls: int) -> timedelta:
    """Give the time until a ticket is asked about again, after so many polls."""
    return next((wait for count, wait in _STEPS if polls <= count), _RARELY)
