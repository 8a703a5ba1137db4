from datetime import timedelta

import pytest

from ticketing.tickets.gate import Gate, rest_after, wait_at
from ticketing.tickets.helpdesk import Limits

pytestmark = pytest.mark.unit

LIMITS = Limits(most_at_once=2, failures_to_open=3)
SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("gate", "wait"),
    [
        (Gate(), None),
        (Gate(under_way=1), None),
        (Gate(under_way=2), 2 * SECOND),
        (Gate(failures=2, under_way=1), None),
        (Gate(failures=3, under_way=0), None),
        (Gate(failures=3, under_way=1), 2 * SECOND),
        (Gate(failures=3, closed_for=9 * SECOND), 9 * SECOND),
    ],
)
def test_a_helpdesk_is_asked_by_so_many_at_once_and_by_one_after_a_rest(gate: Gate, wait: timedelta | None) -> None:
    assert wait_at(gate, LIMITS) == wait


@pytest.mark.parametrize(
    ("failures", "rest"),
    [
        (0, None),
        (2, None),
        (3, 15 * SECOND),
        (4, 30 * SECOND),
        (7, 240 * SECOND),
        (8, 300 * SECOND),
        (99, 300 * SECOND),
    ],
)
def test_failures_in_a_row_make_longer_and_longer_rests(failures: int, rest: timedelta | None) -> None:
    assert rest_after(failures, LIMITS) == rest
