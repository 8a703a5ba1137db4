"""What fails again and again costs no time, and is tried again by one call at a time."""

from dataclasses import dataclass, field

import pytest

from contracts.errors import TryAgainError
from knowledge.adapters.breaker import Breaker, BreakerOpenError
from knowledge.adapters.openai_pieces import EndpointTroubleError

pytestmark = pytest.mark.unit


@dataclass
class Watched:
    """A breaker with a clock that the test turns, and what it showed."""

    now: float = 0.0
    shown: list[bool] = field(default_factory=list[bool])

    def __post_init__(self) -> None:
        self.breaker = Breaker(seconds=lambda: self.now, show_open=self.shown.append)

    def fail(self, trouble: TryAgainError | None = None) -> None:
        with pytest.raises(TryAgainError), self.breaker.guarded():
            raise trouble or TryAgainError

    def succeed(self) -> None:
        with self.breaker.guarded():
            pass


@pytest.fixture
def watched() -> Watched:
    return Watched()


def open_it(watched: Watched) -> None:
    for _ in range(3):
        watched.fail()


def test_two_troubles_are_no_reason_to_open(watched: Watched) -> None:
    watched.fail()
    watched.fail()
    watched.succeed()
    watched.fail()
    watched.fail()

    assert not watched.breaker.is_open


def test_the_third_trouble_in_a_row_opens_it(watched: Watched) -> None:
    open_it(watched)

    with pytest.raises(BreakerOpenError), watched.breaker.guarded():
        pytest.fail("the call ran")
    assert watched.shown == [True]


def test_after_its_rest_one_call_at_a_time_tries(watched: Watched) -> None:
    open_it(watched)
    watched.now = 10.0

    with watched.breaker.guarded(), pytest.raises(BreakerOpenError), watched.breaker.guarded():
        pytest.fail("two calls tried at once")

    assert not watched.breaker.is_open
    assert watched.shown == [True, False]


def test_a_try_that_fails_doubles_the_rest(watched: Watched) -> None:
    open_it(watched)
    watched.now = 10.0
    watched.fail()

    watched.now = 29.9
    assert watched.breaker.is_open
    watched.now = 30.0
    assert not watched.breaker.is_open


def test_the_rest_never_grows_beyond_five_minutes(watched: Watched) -> None:
    open_it(watched)
    for _ in range(12):
        watched.now += 300.0
        watched.fail()

    watched.now += 300.0
    assert not watched.breaker.is_open


def test_an_endpoint_that_asks_to_be_left_alone_is_left_alone_at_once(watched: Watched) -> None:
    watched.fail(EndpointTroubleError("busy", retry_after_seconds=7.0))

    watched.now = 6.9
    assert watched.breaker.is_open
    watched.now = 7.0
    watched.succeed()


def test_an_endpoint_that_may_be_asked_again_at_once_is_in_trouble_like_any_other(watched: Watched) -> None:
    at_once = EndpointTroubleError("busy", retry_after_seconds=0.0)
    watched.fail(at_once)
    assert not watched.breaker.is_open

    watched.fail(at_once)
    watched.fail(at_once)
    assert watched.breaker.is_open


def test_a_cancelled_try_lets_the_next_call_try(watched: Watched) -> None:
    open_it(watched)
    watched.now = 10.0

    with pytest.raises(KeyboardInterrupt), watched.breaker.guarded():
        raise KeyboardInterrupt

    watched.succeed()
    assert not watched.breaker.is_open


def test_an_old_call_that_ends_does_not_let_a_second_one_try(watched: Watched) -> None:
    old = watched.breaker.guarded()
    old.__enter__()
    open_it(watched)
    watched.now = 10.0
    trying = watched.breaker.guarded()
    trying.__enter__()

    old.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)

    assert watched.breaker.is_open
    trying.__exit__(None, None, None)
    assert not watched.breaker.is_open
