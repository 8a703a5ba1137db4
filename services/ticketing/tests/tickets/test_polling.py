from datetime import timedelta

import pytest

from ticketing.tickets.polling import wait_before_poll

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("polls", "wait"),
    [
        (1, timedelta(seconds=30)),
        (120, timedelta(seconds=30)),
        (121, timedelta(minutes=2)),
        (241, timedelta(minutes=10)),
        (501, timedelta(hours=1)),
        (10**6, timedelta(hours=1)),
    ],
)
def test_a_ticket_that_waits_long_is_asked_about_rarely(polls: int, wait: timedelta) -> None:
    assert wait_before_poll(polls) == wait
