from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bff.attempts.attempt import Completed, Failed
from bff.attempts.ending import end_attempt
from bff.attempts.events import closing_events, opening_events
from bff.attempts.failures import failed, failure_of
from bff.attempts.reading import linked
from bff.stream.numbered import NumberedEvent, numbered
from contracts.answers import Part
from contracts.ids import printed
from contracts.reasons import FailureCode
from contracts.stream import AttemptEvent, DeltaEvent, grammar_fault
from services.bff.tests.attempts.making import ATTEMPT_ID, CONVERSATION_ID, make_answer, make_attempt
from services.bff.tests.fake_knowledge import answer_events, citation

pytestmark = pytest.mark.unit

ATTEMPT = make_attempt()
CANCELLED = failed(failure_of(FailureCode.CANCELLED))
LINKED = tuple(
    event.model_copy(update={"new_citations": tuple(linked(ATTEMPT, each) for each in event.new_citations)})
    for event in answer_events(printed("att", ATTEMPT_ID), printed("cnv", CONVERSATION_ID))
    if isinstance(event, DeltaEvent)
)


class FrozenLog:
    """A log that held some events when it was frozen."""

    def __init__(self, said: tuple[AttemptEvent, ...]) -> None:
        self._said = said
        self.published: tuple[NumberedEvent, ...] = ()

    async def freeze(self, attempt_id: UUID) -> tuple[AttemptEvent, ...]:
        assert attempt_id == ATTEMPT_ID
        return self._said

    async def publish(self, attempt_id: UUID, events: tuple[NumberedEvent, ...]) -> None:
        assert attempt_id == ATTEMPT_ID
        self.published = events


class Row:
    """A row that takes the first end."""

    def __init__(self, *, is_closed: bool = False) -> None:
        self._is_closed = is_closed
        self.result: Completed | Failed | None = None
        self.events: tuple[AttemptEvent, ...] = ()

    async def close(self, result: Completed | Failed, events: tuple[AttemptEvent, ...]) -> bool:
        if self._is_closed:
            return False
        self.result, self.events, self._is_closed = result, events, True
        return True


@given(streamed=st.integers(0, 2), is_lost=st.booleans())
async def test_the_row_keeps_what_was_said_and_one_end(*, streamed: int, is_lost: bool) -> None:
    said = () if is_lost else (*opening_events(ATTEMPT), *LINKED[:streamed])
    log, row = FrozenLog(said), Row()

    assert await end_attempt(ATTEMPT, CANCELLED, log=log, close=row.close)

    assert row.events[: len(said)] == said
    assert grammar_fault([event.event for event in row.events], closed=True) is None
    assert log.published == numbered(row.events)[len(said) or 2 :]


async def test_whoever_is_second_publishes_nothing() -> None:
    log = FrozenLog(opening_events(ATTEMPT))

    assert not await end_attempt(ATTEMPT, CANCELLED, log=log, close=Row(is_closed=True).close)

    assert log.published == ()


def completed() -> Completed:
    parts = tuple(
        Part(kind=delta.kind, text=delta.text, citations=delta.citations, question_part=None) for delta in LINKED
    )
    outcome = make_answer().outcome.model_copy(update={"parts": parts})
    views = tuple(linked(ATTEMPT, citation(index)) for index in (1, 2))
    return Completed(outcome=outcome, citations=views, knowledge_version=7)


@pytest.mark.parametrize("streamed", [0, 1, 2])
async def test_an_answer_is_continued_where_it_stopped(streamed: int) -> None:
    log, row = FrozenLog((*opening_events(ATTEMPT), *LINKED[:streamed])), Row()

    await end_attempt(ATTEMPT, completed(), log=log, close=row.close)

    assert row.events == (*opening_events(ATTEMPT), *LINKED, *closing_events(ATTEMPT, completed()))


async def test_an_answer_that_contradicts_what_was_said_is_abandoned() -> None:
    log, row = FrozenLog((*opening_events(ATTEMPT), LINKED[1])), Row()

    await end_attempt(ATTEMPT, completed(), log=log, close=row.close)

    assert isinstance(row.result, Failed)
    assert row.result.code is FailureCode.ABANDONED
    assert grammar_fault([event.event for event in row.events], closed=True) is None
