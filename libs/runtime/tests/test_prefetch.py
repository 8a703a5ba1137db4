"""A worker that lost its acknowledgements takes messages again."""

import logging
import tempfile
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from celery.contrib.testing import worker as testing

from runtime.prefetch import PATIENCE_SECONDS, Places
from runtime.queue import make_celery
from tests.support.watchdog import watching
from youju.embedded.valkey import Valkey


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.unit
def test_a_place_that_stays_taken_without_work_is_lost() -> None:
    places = Places(clock := Clock())

    at_once = places.are_lost(held=2, worked_on=1)
    clock.now += PATIENCE_SECONDS

    assert (at_once, places.are_lost(held=1, worked_on=0)) == (False, True)


@pytest.mark.unit
def test_places_between_two_messages_are_not_lost() -> None:
    places = Places(clock := Clock())

    seen: list[bool] = []
    for _ in range(5):
        seen += [places.are_lost(held=1, worked_on=0), places.are_lost(held=1, worked_on=1)]
        clock.now += PATIENCE_SECONDS

    assert not any(seen)


class Heard(logging.Handler):
    """Tells when an acknowledgement was lost."""

    def __init__(self) -> None:
        super().__init__(logging.CRITICAL)
        self.lost = Event()

    def emit(self, record: logging.LogRecord) -> None:
        if "Couldn't ack" in record.getMessage():
            self.lost.set()


@pytest.fixture
def heard() -> Iterator[Heard]:
    handler = Heard()
    logging.getLogger().addHandler(handler)
    yield handler
    logging.getLogger().removeHandler(handler)


@pytest.fixture
def valkey() -> Iterator[Valkey]:
    """Give a Valkey that a test may kill."""
    folder = Path(tempfile.mkdtemp(prefix="youju-"))
    with watching("servers", folder):
        server = Valkey(folder, folder)
        server.start()
        yield server
        server.stop()


@pytest.mark.store
def test_a_worker_whose_broker_died_before_it_could_acknowledge_hears_again(valkey: Valkey, heard: Heard) -> None:
    app = make_celery("deaf", redis_url=valkey.url)
    begun, may_end, handled = Event(), Event(), Event()

    def long() -> None:
        begun.set()
        may_end.wait(60)

    app.task(name="long", shared=False)(long)
    app.task(name="next", shared=False)(handled.set)
    worker: Any = testing  # celery ships no types
    with worker.start_worker(app, pool="threads", concurrency=1, perform_ping_check=False):
        app.send_task("long")
        assert begun.wait(60)
        valkey.kill()
        may_end.set()
        assert heard.lost.wait(60)
        valkey.start()
        app.send_task("next")

        assert handled.wait(60)
