"""Number the events of an attempt: the number is what a reader resumes from."""

from collections.abc import Iterable
from dataclasses import dataclass

from contracts.stream import ATTEMPT_EVENT, AttemptEvent, CompletedEvent, ErrorEvent


@dataclass(frozen=True, slots=True)
class NumberedEvent:
    """An event and its number, counted from 1 without gaps."""

    number: int
    event: AttemptEvent

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


def dumped(event: AttemptEvent) -> dict[str, object]:
    """Turn an event into what a row keeps."""
    return event.model_dump(mode="json")


def loaded_json(stored: bytes) -> AttemptEvent:
    """Read an event back from a log."""
    return ATTEMPT_EVENT.validate_json(stored)


def loaded(stored: object) -> AttemptEvent:
    """Read an event back from a row."""
    return ATTEMPT_EVENT.validate_python(stored)
