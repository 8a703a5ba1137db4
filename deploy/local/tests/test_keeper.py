"""A keeper starts a dead process again, and gives up on one that never works, however slowly it dies."""

from pathlib import Path

import pytest

from youju.keeper import Keeper
from youju.trouble import Trouble

pytestmark = pytest.mark.unit


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class FakeProcess:
    """A process that lives, dies and gets ready when the test says so."""

    name = "worker"
    mark = "-m worker"
    pid = 1
    log = Path("nowhere.log")

    def __init__(self) -> None:
        self.starts = 0
        self.alive = False
        self.ready = False
        self.refused = False

    def start(self) -> None:
        self.starts += 1
        self.alive = True

    def ask_to_stop(self) -> None:
        self.alive = False

    def kill(self) -> None:
        self.alive = False

    def is_running(self) -> bool:
        return self.alive

    def is_ready(self) -> bool:
        return self.ready

    def is_refused(self) -> bool:
        return self.refused


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def process() -> FakeProcess:
    return FakeProcess()


@pytest.fixture
def keeper(process: FakeProcess, clock: Clock) -> Keeper:
    made = Keeper(process, clock)
    made.start()
    return made


def live_and_die(keeper: Keeper, process: FakeProcess, clock: Clock, *, seconds: float) -> None:
    """Let the process live for a while, die, and the pause after it pass."""
    keeper.tend()
    clock.now += seconds
    process.alive = False
    keeper.tend()
    clock.now += 10
    keeper.tend()


def test_a_dead_process_is_started_again_only_after_its_pause(
    keeper: Keeper, process: FakeProcess, clock: Clock
) -> None:
    process.alive = False

    keeper.tend()
    before_the_pause = process.starts
    clock.now += 0.6
    keeper.tend()

    assert (before_the_pause, process.starts) == (1, 2)


def test_a_process_that_dies_slowly_but_never_works_is_given_up(
    keeper: Keeper, process: FakeProcess, clock: Clock
) -> None:
    with pytest.raises(Trouble, match="worker keeps ending before it can work"):
        for _ in range(4):
            live_and_die(keeper, process, clock, seconds=30)

    assert process.starts == 4


def test_a_process_that_works_between_its_deaths_is_never_given_up(
    keeper: Keeper, process: FakeProcess, clock: Clock
) -> None:
    process.ready = True

    for _ in range(20):
        live_and_die(keeper, process, clock, seconds=30)

    assert process.starts == 21
    assert keeper.record.restarts == 20


def test_a_process_that_refuses_its_settings_is_not_started_again(keeper: Keeper, process: FakeProcess) -> None:
    process.alive, process.refused = False, True

    with pytest.raises(Trouble, match="worker refuses to start with these settings"):
        keeper.tend()

    assert process.starts == 1


def test_a_process_that_worked_and_then_refuses_is_started_again(
    keeper: Keeper, process: FakeProcess, clock: Clock
) -> None:
    process.ready = True
    keeper.tend()
    process.ready, process.refused = False, True

    live_and_die(keeper, process, clock, seconds=30)

    assert process.starts == 2
