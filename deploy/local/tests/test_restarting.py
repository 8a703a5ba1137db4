"""A process is started again with growing pauses, and given up when it never gets steady."""

import pytest

from youju.restarting import Record, after_death, restart_delay

pytestmark = pytest.mark.unit


def test_failed_starts_wait_longer_each_time_and_then_are_given_up() -> None:
    record = Record()
    delays: list[float | None] = []

    for _ in range(4):
        record = after_death(record, was_ready=False, lived_seconds=0.1)
        delays.append(restart_delay(record))

    assert delays == [0.5, 1.0, 2.0, None]


def test_a_process_that_worked_for_a_while_starts_with_a_short_pause_again() -> None:
    record = Record(restarts=3, failed_starts=3, short_lives=3)

    after = after_death(record, was_ready=True, lived_seconds=60)

    assert after == Record(restarts=4, failed_starts=0, short_lives=1)
    assert restart_delay(after) == 0.5


def test_a_process_that_gets_ready_is_started_again_however_often_it_is_killed() -> None:
    record = Record()
    delays: list[float | None] = []

    for _ in range(20):
        record = after_death(record, was_ready=True, lived_seconds=0.1)
        delays.append(restart_delay(record))

    assert delays == [0.5, 1.0, *[2.0] * 18]


@pytest.mark.parametrize("lived_seconds", [0.1, 60.0])
def test_a_death_before_it_was_ready_counts_as_a_failed_start(lived_seconds: float) -> None:
    after = after_death(Record(restarts=1, failed_starts=1), was_ready=False, lived_seconds=lived_seconds)

    assert after.failed_starts == 2
