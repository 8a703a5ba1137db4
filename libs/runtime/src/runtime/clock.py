"""The clock as an argument, so that tests can hold it still."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Say what time it is, aware and in UTC."""
    return datetime.now(UTC)


def business_day(moment: datetime, time_zone: str) -> date:
    """Say which day it is for a tenant at a moment."""
    return moment.astimezone(ZoneInfo(time_zone)).date()


def start_of_day(moment: datetime, time_zone: str) -> datetime:
    """Say when the day of a moment began for a tenant."""
    return datetime.combine(business_day(moment, time_zone), time.min, tzinfo=ZoneInfo(time_zone))
