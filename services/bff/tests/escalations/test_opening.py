from datetime import datetime
from uuid import UUID

import pytest

from bff.attempts.asking import IdempotencyConflictError
from bff.attempts.attempt import Attempt, RequestKey
from bff.attempts.judging import NotCompletedError
from bff.escalations.escalation import Escalation, entity_tag, names_tag
from bff.escalations.opening import Wish, escalate
from bff.escalations.ticket import Story, ticket_of
from contracts.customer import Feedback
from contracts.errors import ConflictError
from contracts.messages import CreateTicket
from contracts.reasons import FeedbackReason
from services.bff.tests.attempts.making import MOMENT, make_answer, make_attempt, make_refusal

pytestmark = pytest.mark.unit

ANSWER = make_answer()
COMPLETED = make_attempt(status="COMPLETED", outcome=ANSWER.outcome, citations=ANSWER.citations)


def make_escalation(number: int, *, request_hash: str | None = None) -> Escalation:
    return Escalation(
        escalation_id=UUID(int=number),
        tenant="demo",
        conversation_id=COMPLETED.conversation_id,
        attempt_id=COMPLETED.attempt_id,
        origin="customer",
        status="REQUESTED",
        ticket_number=None,
        solution=None,
        sequence=0,
        request_hash=request_hash,
        created_at=MOMENT,
    )


class Ledger:
    """A ledger whose open escalation shows up, or is solved, between two looks."""

    def __init__(self, *, opens: list[Escalation | None], by_key: Escalation | None = None, adds: bool = True) -> None:
        self._opens = opens
        self._by_key = by_key
        self._adds = adds
        self.tickets: list[CreateTicket] = []

    async def find_by_request(self, key: str) -> Escalation | None:
        assert key
        return self._by_key

    async def find_open(self, conversation_id: UUID) -> Escalation | None:
        assert conversation_id == COMPLETED.conversation_id
        return self._opens.pop(0) if self._opens else None

    async def add(self, wish: Wish, ticket: CreateTicket) -> Escalation | None:
        if not self._adds:
            return None
        self.tickets.append(ticket)
        return make_escalation(wish.escalation_id.int)


def wish(key: str | None = "k", content_hash: str = "same") -> Wish:
    return Wish(
        escalation_id=UUID(int=9),
        origin="customer",
        attempt=COMPLETED,
        note=None,
        request=None if key is None else RequestKey(route="escalate", key=key, content_hash=content_hash),
        wished_at=MOMENT,
    )


async def tell(attempt: Attempt) -> Story:
    return Story(attempt=attempt, feedback=None, lineage=(attempt.attempt_id,), conversation=(attempt,))


async def test_a_first_wish_opens_an_escalation_and_its_ticket() -> None:
    ledger = Ledger(opens=[])

    escalated = await escalate(wish(), ledger=ledger, tell=tell)

    assert (escalated.is_new, escalated.escalation.escalation_id) == (True, UUID(int=9))
    assert [ticket.ticket_key for ticket in ledger.tickets] == [f"demo:esc_{UUID(int=9).hex}"]


async def test_a_further_wish_finds_the_open_one_without_telling_the_story() -> None:
    async def never(attempt: Attempt) -> Story:
        raise AssertionError(attempt)

    escalated = await escalate(wish(None), ledger=Ledger(opens=[make_escalation(1)]), tell=never)

    assert (escalated.is_new, escalated.escalation.escalation_id) == (False, UUID(int=1))


async def test_a_wish_that_loses_the_race_finds_the_winner() -> None:
    ledger = Ledger(opens=[None, make_escalation(2)], adds=False)

    escalated = await escalate(wish(), ledger=ledger, tell=tell)

    assert (escalated.is_new, escalated.escalation.escalation_id) == (False, UUID(int=2))


async def test_a_wish_that_never_finds_its_winner_gives_up() -> None:
    with pytest.raises(ConflictError):
        await escalate(wish(), ledger=Ledger(opens=[], adds=False), tell=tell)


async def test_the_same_key_is_the_same_wish_and_only_with_the_same_content() -> None:
    first = make_escalation(3, request_hash="same")

    assert (await escalate(wish(), ledger=Ledger(opens=[], by_key=first), tell=tell)).escalation == first
    with pytest.raises(IdempotencyConflictError):
        await escalate(wish(content_hash="other"), ledger=Ledger(opens=[], by_key=first), tell=tell)


@pytest.mark.parametrize("requested_at", [MOMENT])
def test_a_ticket_tells_a_refusal_with_its_reason(requested_at: datetime) -> None:
    refusal = make_refusal("required")
    attempt = make_attempt(status="COMPLETED", outcome=refusal.outcome, handoff="required")
    feedback = Feedback(rating="NOT_HELPFUL", reason_code=FeedbackReason.DID_NOT_SOLVE)
    story = Story(attempt=attempt, feedback=feedback, lineage=(attempt.attempt_id,), conversation=(attempt,))

    ticket = ticket_of(story, escalation_id=UUID(int=9), note="急", requested_at=requested_at)

    assert (ticket.refused, ticket.reason_code, ticket.priority) == (True, "NO_AUTHORIZED_EVIDENCE", "high")
    assert (ticket.transcript, ticket.note) == ((), "急")
    assert ticket.feedback is not None
    assert ticket.feedback.reason_code == "DID_NOT_SOLVE"


def test_without_an_answer_there_is_no_ticket() -> None:
    story = Story(attempt=make_attempt(), feedback=None, lineage=(), conversation=())

    with pytest.raises(NotCompletedError):
        ticket_of(story, escalation_id=UUID(int=9), note=None, requested_at=MOMENT)


def test_the_entity_tag_changes_with_every_news() -> None:
    escalation = make_escalation(1)

    assert entity_tag(escalation) == entity_tag(make_escalation(1)) != entity_tag(make_escalation(2))


@pytest.mark.parametrize("named", ['"a-1"', 'W/"a-1"', '"b-7", W/"a-1"', "*"])
def test_a_tag_is_known_again_also_when_a_proxy_weakened_it(named: str) -> None:
    assert names_tag(named, '"a-1"')


@pytest.mark.parametrize("named", [None, "", '"a-10"', "a-1", 'W/"b-1"'])
def test_another_tag_is_not_known(named: str | None) -> None:
    assert not names_tag(named, '"a-1"')
