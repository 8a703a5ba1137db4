"""Let a worker begin anew when acknowledgements that the broker did not take have used up its places.

A worker holds only so many messages that are not acknowledged. An acknowledgement that finds no broker is logged by
kombu and forgotten; its message keeps its place, and a worker that has lost all places asks for nothing more, not even
for a new connection: it lives and is deaf. On a new connection all places are free, and the broker gives out again what
nobody acknowledged.
"""

import time
from collections.abc import Callable, Collection
from typing import Any, Final, cast

from celery import bootsteps
from celery.worker import state

from runtime.logging import get_logger

# An acknowledgement is sent in the same turn in which its message stops being worked on.
PATIENCE_SECONDS: Final = 2.0
_log = get_logger("prefetch")


class Places:
    """Compares the messages that hold a place with the messages that are worked on."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with nothing lost."""
        self._clock = clock
        self._since: float | None = None

    def are_lost(self, *, held: int, worked_on: int) -> bool:
        """Say whether more places than work have been there for longer than an acknowledgement takes."""
        if held <= worked_on:
            self._since = None
            return False
        self._since = self._clock() if self._since is None else self._since
        return self._clock() - self._since >= PATIENCE_SECONDS


class FreePlaces(bootsteps.StartStopStep):
    """A step of Celery's consumer: looks at the places in every turn of its loop, and ends a connection that lost some."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, consumer: Any, **options: object) -> None:  # celery ships no types
        """Belong to one consumer, through all its connections."""
        super().__init__(consumer, **options)
        self._consumer = consumer
        self._places = Places()

    def register_with_event_loop(self, consumer: Any, hub: Any) -> None:  # celery's signature
        """Be called in every turn; the same method twice is one entry."""
        del consumer
        hub.on_tick.add(self._look)

    def _look(self) -> None:
        """Errors: ConnectionResetError, which Celery answers with a new connection."""
        held = _places_held(self._consumer)
        worked_on = cast("Collection[object]", state.reserved_requests)  # celery's set names no type
        if self._places.are_lost(held=held, worked_on=len(worked_on)):
            self._places = Places()
            _log.warning("acknowledgements_lost", held=held)
            raise ConnectionResetError("acknowledgements were lost")


def _places_held(consumer: Any) -> int:  # celery ships no types
    """Count the messages that are given out and not acknowledged; 0 between two connections."""
    if consumer.task_consumer is None or consumer.task_consumer.channel is None:
        return 0
    quality = consumer.task_consumer.channel.qos
    return int(quality.prefetch_count - quality.can_consume_max_estimate()) if quality.prefetch_count else 0
