"""Number the events of an attempt: the number is what a reader resumes from."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from contracts.stream import ATTEMPT_EVENT, AttemptEvent, CompletedEvent, ErrorEvent


@dataclass(frozen=True)
class NumberedEvent:
    """An event and its number, counted from 1 without gaps."""

    number: int
    event: AttemptEvent

    @cached_property
    def data(self) -> bytes:
        """The event as JSON without its name: written once, for the log and for every reader."""
        return self.event.model_dump_json(exclude={"event"}).encode()

    @property
    def closes(self) -> bool:
        """Whether this is the last event of its attempt."""
        return isinstance(self.event, CompletedEvent | ErrorEvent)


def numbered(events: Iterable[AttemptEvent]) -> tuple[NumberedEvent, ...]:
    """Count the events of one attempt in their order, from 1."""
    return tuple(NumberedEvent(number, event) for number, event in enumerate(events, start=1))


def remaining(events: tuple[NumberedEvent, ...], *, after: int) -> tuple[NumberedEvent, ...]:
    """Give what a reader of a closed attempt has not heard; the closing event at least."""
    return events[after:] or events[-1:]


def next_of(heard: tuple[NumberedEvent, ...], *, after: int) -> tuple[NumberedEvent, ...]:
    """Give of what was heard the events that follow a number without a gap."""
    count = 0
    while count < len(heard) and heard[count].number == after + count + 1:
        count += 1
    return heard[:count]


def dumped(event: AttemptEvent) -> dict[str, object]:
    """Turn an event into what a row keeps."""
    return event.model_dump(mode="json")


def loaded_json(stored: bytes) -> AttemptEvent:
    """Read an event back from a log."""
    return ATTEMPT_EVENT.validate_json(stored)


def loaded(stored: object) -> AttemptEvent:
    """Read an event back from a row."""
    return ATTEMPT_EVENT.validate_python(stored)
