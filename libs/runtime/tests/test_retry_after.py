"""A server elsewhere that asks to be left alone says for how long, in seconds or by a date."""

from datetime import UTC, datetime, timedelta

import pytest

from runtime.retry_after import read_retry_after

pytestmark = pytest.mark.unit

NOW = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "wait"),
    [
        (None, None),
        ("", None),
        ("7", timedelta(seconds=7)),
        (" 0 ", timedelta(0)),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
        ("9" * 40, timedelta(hours=1)),
        ("Sun, 01 Mar 2026 09:31:00 GMT", timedelta(minutes=1)),
        ("Sun, 01 Mar 2026 09:00:00 GMT", timedelta(0)),
        ("Sun, 01 Mar 2099 09:00:00 GMT", timedelta(hours=1)),
        ("soon", None),
    ],
)
def test_how_long_a_server_asks_us_to_wait(header: str | None, wait: timedelta | None) -> None:
    assert read_retry_after(header, now=NOW, longest=timedelta(hours=1)) == wait
