"""End an attempt from outside its runner: a cancel, a reaped lease, a fault in the runner itself.

The log is frozen first, so that its runner can add nothing more; then one guarded UPDATE decides, as always.
"""

from collections.abc import Awaitable, Callable
from typing import Protocol
from uuid import UUID

from bff.attempts.attempt import Attempt, Completed, Failed
from bff.attempts.events import closing_events, opening_events
from bff.attempts.failures import AbandonedError, failed
from bff.stream.numbered import NumberedEvent, numbered
from contracts.answers import CitationView, Part
from contracts.stream import AttemptEvent, DeltaEvent

Close = Callable[[Completed | Failed, tuple[AttemptEvent, ...]], Awaitable[bool]]


class FreezableLog(Protocol):
    """The event log as somebody other than the runner sees it."""

    async def freeze(self, attempt_id: UUID) -> tuple[AttemptEvent, ...]:
        """Stop the runner from adding events and give those there are; nothing when the log is lost."""
        ...

    async def publish(self, attempt_id: UUID, events: tuple[NumberedEvent, ...]) -> None:
        """Add events to a frozen log."""
        ...


async def end_attempt(attempt: Attempt, result: Completed | Failed, *, log: FreezableLog, close: Close) -> bool:
    """End an attempt and say whether this call did it.

    Repeat: the second call finds the attempt closed and changes nothing.
    """
    # A runner that was killed between its opening events said less than every reader has heard.
    said = max(await log.freeze(attempt.attempt_id), opening_events(attempt), key=len)
    final, unsaid = _continued(attempt, result, said)
    events = (*said, *unsaid)
    if not await close(final, events):
        return False
    await log.publish(attempt.attempt_id, numbered(events)[len(said) :])
    return True


def _continued(
    attempt: Attempt, result: Completed | Failed, said: tuple[AttemptEvent, ...]
) -> tuple[Completed | Failed, tuple[AttemptEvent, ...]]:
    if isinstance(result, Failed):
        return result, closing_events(attempt, result)
    deltas = part_deltas(result)
    streamed = tuple(event for event in said if isinstance(event, DeltaEvent))
    if deltas[: len(streamed)] != streamed:
        abandoned = failed(AbandonedError())
        return abandoned, closing_events(attempt, abandoned)
    return result, (*deltas[len(streamed) :], *closing_events(attempt, result))


def part_deltas(completed: Completed) -> tuple[DeltaEvent, ...]:
    """Give the deltas that stream an outcome, each with the citations it names for the first time."""
    by_index = {citation.index: citation for citation in completed.citations}
    seen: set[int] = set()
    return tuple(_delta(part, by_index, seen) for part in completed.outcome.parts)


def _delta(part: Part, by_index: dict[int, CitationView], seen: set[int]) -> DeltaEvent:
    new = tuple(by_index[index] for index in part.citations if index not in seen)
    seen.update(part.citations)
    return DeltaEvent(kind=part.kind, text=part.text, citations=part.citations, new_citations=new)
