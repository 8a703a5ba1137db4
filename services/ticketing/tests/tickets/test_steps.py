from datetime import UTC, datetime, timedelta

import pytest

from ticketing.tickets.steps import Passed, Steps

pytestmark = pytest.mark.unit

START = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


class Wall:
    """A wall clock that can be set, beside a stopwatch that cannot."""

    def __init__(self) -> None:
        self.now = START
        self.seconds = 0.0
        self.steps = Steps(lambda: self.seconds, machine="here")
        self.steps.see(self.now)

    def run(self, span: timedelta) -> None:
        self.now += span
        self.seconds += span.total_seconds()

    def set_by(self, span: timedelta) -> None:
        self.now += span

    def passed(self, since: datetime) -> Passed:
        return self.steps.passed(since, self.now)


def test_by_a_clock_that_runs_time_passes_as_it_shows() -> None:
    wall = Wall()
    asked = wall.now

    for _ in range(10):
        wall.run(MINUTE)
        assert wall.passed(asked) == Passed(wall.now - asked, wall.now - asked)


def test_time_that_a_clock_skipped_has_not_surely_passed() -> None:
    wall = Wall()
    asked = wall.now
    wall.run(MINUTE)
    wall.set_by(HOUR)
    wall.run(MINUTE)

    assert wall.passed(asked) == Passed(surely=2 * MINUTE, at_most=HOUR + 2 * MINUTE)


def test_time_that_a_clock_showed_twice_has_passed_twice_at_most() -> None:
    wall = Wall()
    asked = wall.now
    wall.run(MINUTE)
    wall.set_by(-HOUR)
    wall.run(MINUTE)

    assert wall.passed(asked) == Passed(surely=2 * MINUTE - HOUR, at_most=2 * MINUTE)


def test_what_is_noted_after_a_step_was_seen_is_not_touched_by_it() -> None:
    wall = Wall()
    wall.set_by(HOUR)
    wall.steps.see(wall.now)
    wall.run(MINUTE)
    asked = wall.now
    wall.run(MINUTE)

    assert wall.passed(asked) == Passed(MINUTE, MINUTE)


@pytest.mark.parametrize("there_and_back", [(HOUR, -HOUR), (-HOUR, HOUR)])
def test_neither_does_a_clock_that_is_set_there_and_back_shorten_a_bound(
    there_and_back: tuple[timedelta, timedelta],
) -> None:
    wall = Wall()
    asked = wall.now
    for step in there_and_back:
        wall.run(MINUTE)
        wall.set_by(step)
        wall.steps.see(wall.now)

    found = wall.passed(asked)

    assert found.surely <= 2 * MINUTE <= found.at_most


def test_what_was_noted_between_a_step_and_its_discovery_is_doubted() -> None:
    wall = Wall()
    wall.set_by(HOUR)
    asked = wall.now
    wall.run(MINUTE)

    assert wall.passed(asked).surely < MINUTE


def test_a_reading_that_took_a_moment_is_no_step() -> None:
    wall = Wall()
    asked = wall.now
    wall.run(MINUTE)
    wall.seconds -= 1.5

    assert wall.passed(asked).surely == MINUTE
