"""A test that strikes a part hits that part's process, never the whole group it runs in itself."""

from collections.abc import Iterator
from pathlib import Path

from hypothesis import HealthCheck, settings

from tests.support.system import System
from youju.state import RunningPart, State


def _seen(pid: int) -> State:
    worker = RunningPart(name="worker", pid=pid, mark="", restarts=1)
    return State(supervisor=1, ready=True, sockets=Path(), environment={}, parts=(worker,))


class _Restarting(System):
    """A system whose supervisor says one thing after another."""

    def __init__(self, says: Iterator[State]) -> None:
        super().__init__(Path(), dict.fromkeys(("YOUJU_BFF_PORT", "YOUJU_KNOWLEDGE_PORT", "YOUJU_TICKETING_PORT"), "0"))
        self._says = says

    @property
    def state(self) -> State:
        return next(self._says)


def test_a_part_that_is_being_started_again_is_waited_for() -> None:
    system = _Restarting(iter((_seen(0), _seen(0), _seen(4711))))

    assert system.pid("worker") == 4711


def test_drawn_examples_fail_for_what_they_find_and_not_for_how_long_they_take() -> None:
    assert settings().deadline is None
    assert HealthCheck.too_slow in settings().suppress_health_check
