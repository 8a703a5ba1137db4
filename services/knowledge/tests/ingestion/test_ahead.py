"""What is embedded ahead is taken once, and what nobody takes does not pile up."""

from concurrent.futures import Future
from uuid import UUID

import numpy as np
import pytest

from knowledge.ingestion.embedding import Vector
from knowledge.tasks.ahead import Ahead

pytestmark = pytest.mark.unit

_IMPORT = UUID(int=1)


def _called(*numbers: float) -> Future[list[Vector]]:
    done: Future[list[Vector]] = Future()
    done.set_result([np.full(2, number, dtype=np.float32) for number in numbers])
    return done


def test_what_was_begun_is_given_once_and_by_its_name() -> None:
    ahead = Ahead()
    ahead.put(_IMPORT, ["a", "b"], _called(1, 2))

    assert ahead.take(UUID(int=2), ["a"]) == {}
    taken = ahead.take(_IMPORT, ["b", "c"])

    ((called, place),) = taken.values()
    assert (list(taken), called.result()[place][0]) == (["b"], 2)
    assert ahead.take(_IMPORT, ["b"]) == {}
    assert list(ahead.take(_IMPORT, ["a"])) == ["a"]


def test_what_is_under_way_is_not_begun_again() -> None:
    ahead = Ahead()
    ahead.put(_IMPORT, ["a", "b"], _called(1, 2))

    assert ahead.lacking(_IMPORT, ["c", "b", "d"]) == ["c", "d"]
    assert ahead.lacking(UUID(int=2), ["a"]) == ["a"]


def test_no_more_waits_than_threads_can_do_until_a_worker_comes_by() -> None:
    ahead, waiting = Ahead(), Future[list[Vector]]()
    ahead.put(_IMPORT, [f"done {number}" for number in range(500)], _called(1))
    room = ahead.room(_IMPORT)
    ahead.put(_IMPORT, [str(number) for number in range(room)], waiting)

    assert ahead.room(_IMPORT) == 0
    waiting.set_result([])
    assert ahead.room(_IMPORT) == room


def test_an_import_that_is_given_up_takes_no_room_for_long() -> None:
    ahead = Ahead()
    for number in range(1, 6):
        ahead.put(UUID(int=number), ["a", "b"], _called(1, 2))

    assert ahead.take(_IMPORT, ["a"]) == {}
    assert ahead.lacking(UUID(int=5), ["a"]) == []
    ahead.forget(UUID(int=5))
    assert ahead.lacking(UUID(int=5), ["a"]) == ["a"]
