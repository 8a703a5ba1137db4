"""Whoever closes an attempt and whoever erases its conversation take their locks in one order."""

import asyncio

from sqlalchemy import text

from bff.adapters.clients import Clients
from bff.attempts.attempt import Assignment
from bff.attempts.events import closing_events, opening_events
from bff.attempts.store import LeaseStore
from bff.erasure.store import erase_conversations
from contracts.ids import parsed
from contracts.reasons import RefusalReason
from services.bff.tests.attempts.making import make_refusal
from services.bff.tests.client import Customer
from services.bff.tests.fake_knowledge import FakeKnowledge
from services.bff.tests.test_erasure import is_somebody_waiting


async def running(customer: Customer, clients: Clients, attempt_id: str) -> Assignment:
    """Give an attempt that runs elsewhere as its runner has it."""
    query = text("SELECT lease_holder FROM attempt")
    async with clients.database.transaction(customer.tenant) as connection:
        attempt = await LeaseStore(connection).read(parsed("att", attempt_id))
        holder = (await connection.execute(query)).scalar_one()
    return Assignment(attempt=attempt, lease_holder=holder, history=())


async def test_an_attempt_that_closes_with_an_escalation_waits_for_the_erasure_of_its_conversation(
    customer: Customer, clients: Clients, knowledge: FakeKnowledge
) -> None:
    conversation = await customer.open_conversation()
    asking = asyncio.create_task(customer.post_ask("held", conversation=conversation))
    async with asyncio.timeout(60):
        while not (attempts := await customer.attempts(conversation)):
            pass
    assignment = await running(customer, clients, attempts[0].attempt_id)
    refusal = make_refusal("required")
    outcome = refusal.outcome.model_copy(update={"reason_code": RefusalReason.ESCALATION_TOPIC})
    result = type(refusal)(outcome=outcome, citations=(), knowledge_version=7)
    events = (*opening_events(assignment.attempt), *closing_events(assignment.attempt, result))
    lock = text("SELECT id FROM conversation FOR UPDATE")

    async with clients.database.transaction(customer.tenant) as connection:
        await connection.execute(lock)
        closing = asyncio.create_task(clients.record.close(assignment, result, events))
        while not closing.done() and not await is_somebody_waiting(clients, customer.tenant):
            pass
        forgotten = await erase_conversations(
            connection,
            [assignment.attempt.conversation_id],
            tenant=customer.tenant,
            customer=None,
            moment=clients.clock(),
            new_id=clients.new_id,
        )
    knowledge.gate(attempts[0].attempt_id).set()

    assert forgotten.attempt_ids == (assignment.attempt.attempt_id,)
    assert await closing is False
    assert (await asking).status_code == 404
