"""One escalation, one ticket: through outbox, queue, ledger and desk, and back to the customer."""

import asyncio
import time

import pytest

from contracts.customer import Attempt, Conversation, Escalation
from contracts.ids import uuid7
from tests.support.customer import Customer, path_of
from tests.support.staff import tickets_of
from tests.support.system import System

pytestmark = pytest.mark.journey

REFUND = "退款多久到账？"
COMPLAINT = "我要投诉！你们的客服太差了。"
_TICKET_SECONDS = 90


async def with_ticket(customer: Customer, attempt: Attempt, escalation: Escalation) -> Escalation:
    """Ask where an escalation stands until it has a ticket."""
    deadline = time.monotonic() + _TICKET_SECONDS
    while escalation.ticket_number is None and time.monotonic() < deadline:
        await asyncio.sleep(0.1)
        escalation = await customer.escalation(attempt, escalation)
    return escalation


async def test_the_customer_sees_the_ticket_number(customer: Customer, system: System) -> None:
    attempt = await customer.ask(REFUND)

    escalation = await customer.escalate(attempt)
    handled = await with_ticket(customer, attempt, escalation)

    assert escalation.status == "REQUESTED"
    assert (handled.status, handled.ticket_number is not None) == ("TICKET_CREATED", True)
    assert len(tickets_of(system, escalation)) == 1


async def test_fifty_clicks_with_one_key_are_one_ticket(customer: Customer, system: System) -> None:
    attempt, key = await customer.ask(REFUND), uuid7().hex

    escalations = await asyncio.gather(*(customer.escalate(attempt, key=key) for _ in range(50)))
    handled = await with_ticket(customer, attempt, escalations[0])

    assert len({escalation.escalation_id for escalation in escalations}) == 1
    assert len(tickets_of(system, handled)) == 1


async def test_fifty_clicks_with_fifty_keys_are_one_ticket(customer: Customer, system: System) -> None:
    attempt = await customer.ask(REFUND)

    escalations = await asyncio.gather(*(customer.escalate(attempt) for _ in range(50)))
    handled = await with_ticket(customer, attempt, escalations[0])

    assert len({escalation.escalation_id for escalation in escalations}) == 1
    assert len(tickets_of(system, handled)) == 1


async def test_a_complaint_escalates_by_itself_and_a_click_finds_it(customer: Customer) -> None:
    attempt = await customer.ask(COMPLAINT)

    conversation = await customer.http.get(f"/v1/conversations/{attempt.conversation_id}")
    by_rule = Conversation.model_validate_json(conversation.content).escalation
    clicked = await customer.escalate(attempt)

    assert (attempt.reason_code, attempt.handoff) == ("ESCALATION_TOPIC", "required")
    assert by_rule is not None
    assert clicked.escalation_id == by_rule.escalation_id


async def test_an_escalation_needs_a_key(customer: Customer) -> None:
    attempt = await customer.ask(REFUND)

    answer = await customer.http.post(f"{path_of(attempt)}/escalations", json={})

    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")


async def test_while_a_person_has_the_conversation_the_assistant_is_silent(customer: Customer) -> None:
    attempt = await customer.ask(REFUND)
    await with_ticket(customer, attempt, await customer.escalate(attempt))

    path = f"/v1/conversations/{attempt.conversation_id}/attempts"
    answer = await customer.http.post(path, json={"question": REFUND})

    assert (answer.status_code, answer.json()["code"]) == (409, "CONVERSATION_WITH_PERSON")
