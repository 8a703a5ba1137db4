"""Parts die at any moment: an attempt still ends once, an escalation is still one ticket.

Each seed kills one part after a delay of its own. `make faults SEEDS=200` runs the long table.
"""

import asyncio
import json
import os
import random
import signal
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

import httpx
import pytest

from contracts.customer import Attempt, Conversation, Escalation
from contracts.ids import uuid7
from contracts.stream import grammar_fault
from tests.support.customer import Customer, new_customer, path_of
from tests.support.fault_table import DESK, note, verdict
from tests.support.staff import tickets_of
from tests.support.system import System

pytestmark = [pytest.mark.fault, pytest.mark.timeout(600)]

SEEDS: Final = int(os.environ.get("YOUJU_FAULT_SEEDS", "4"))
QUESTION: Final = "能退吗，运费谁承担？"
PARTS_OF_AN_ASK: Final = ("bff", "knowledge", "valkey", "bff-pulse")
PARTS_OF_AN_ESCALATION: Final = (
    "bff-pulse",
    "bff-worker",
    "ticketing-worker",
    "ticketing-pulse",
    "valkey",
    "ticketing",
)
_LATEST_KILL_SECONDS: Final = 0.25
_SETTLED_SECONDS: Final = 240


@dataclass(frozen=True, slots=True)
class Fault:
    """Which part dies, and when."""

    part: str
    delay_seconds: float


def fault(seed: int, parts: tuple[str, ...]) -> Fault:
    source = random.Random(seed)  # noqa: S311 - a repeatable table of faults, no secret
    return Fault(source.choice(parts), source.uniform(0, _LATEST_KILL_SECONDS))


async def strike(system: System, planned: Fault) -> None:
    await asyncio.sleep(planned.delay_seconds)
    os.kill(await asyncio.to_thread(system.pid, planned.part), signal.SIGKILL)


async def recovered(system: System) -> None:
    await asyncio.to_thread(system.wait_ready)


@pytest.fixture
async def customer(system: System) -> AsyncIterator[Customer]:
    await recovered(system)
    async with new_customer(system.bff) as guest:
        yield guest


async def until_closed(customer: Customer, conversation: str) -> tuple[Attempt, ...]:
    """Read the conversation until none of its attempts is pending."""
    async with asyncio.timeout(_SETTLED_SECONDS):
        while True:
            try:
                answer = await customer.http.get(f"/v1/conversations/{conversation}")
                attempts = Conversation.model_validate_json(answer.raise_for_status().content).attempts
            except httpx.HTTPError:
                attempts = None
            if attempts is not None and all(attempt.status != "PENDING" for attempt in attempts):
                return attempts
            await asyncio.sleep(0.2)


async def ask_despite(customer: Customer, conversation: str) -> None:
    """Ask, and take whatever comes: an answer, a problem, a broken connection."""
    try:
        await customer.http.post(f"/v1/conversations/{conversation}/attempts", json={"question": QUESTION})
    except httpx.HTTPError:
        return


@pytest.mark.parametrize("seed", range(SEEDS))
async def test_an_attempt_ends_once_and_every_reader_hears_the_same_end(
    system: System, customer: Customer, seed: int
) -> None:
    conversation = await customer.open_conversation()

    await asyncio.gather(ask_despite(customer, conversation), strike(system, fault(seed, PARTS_OF_AN_ASK)))
    await recovered(system)

    for attempt in await until_closed(customer, conversation):
        first, second = await customer.reattach(attempt), await customer.reattach(attempt)
        closing = json.loads(first.events[-1].data)
        assert first.logged == second.logged
        assert grammar_fault(first.names, closed=True) is None
        assert closing.get("answer") == attempt.answer
        assert (attempt.answer is None) == (attempt.status == "FAILED")
        feedback = await customer.http.put(f"{path_of(attempt)}/feedback", json={"rating": "HELPFUL"})
        assert feedback.is_success == (attempt.status == "COMPLETED")


async def escalate_despite(customer: Customer, attempt: Attempt, key: str) -> Escalation:
    """Click until the click is accepted, as a page does."""
    async with asyncio.timeout(_SETTLED_SECONDS):
        while True:
            try:
                return await customer.escalate(attempt, key=key)
            except httpx.HTTPError:
                await asyncio.sleep(0.2)


async def until_ticket(customer: Customer, attempt: Attempt, escalation: Escalation) -> Escalation:
    async with asyncio.timeout(_SETTLED_SECONDS):
        while escalation.ticket_number is None:
            await asyncio.sleep(0.2)
            try:
                escalation = await customer.escalation(attempt, escalation)
            except httpx.HTTPError:
                continue
    return escalation


@pytest.mark.parametrize("seed", range(SEEDS))
async def test_an_escalation_is_one_ticket_whatever_dies(system: System, customer: Customer, seed: int) -> None:
    attempt, key = await customer.ask(QUESTION), uuid7().hex

    planned = fault(seed, PARTS_OF_AN_ESCALATION)
    escalation, _ = await asyncio.gather(escalate_despite(customer, attempt, key), strike(system, planned))
    await recovered(system)
    handled = await until_ticket(customer, attempt, escalation)

    counts = Counter({handled.escalation_id: len(tickets_of(system, handled))})
    found = verdict(counts, keys=counts, needing_attention=[])
    note(DESK, f"SIGKILL of {planned.part} at any moment", found)
    assert handled.status == "TICKET_CREATED"
    assert found.is_kept


async def test_an_escalation_is_accepted_while_valkey_stands_still_and_delivered_after(
    system: System, customer: Customer
) -> None:
    attempt = await customer.ask(QUESTION)

    system.freeze("valkey")
    try:
        escalation = await customer.escalate(attempt)
    finally:
        system.thaw("valkey")
    handled = await until_ticket(customer, attempt, escalation)

    assert escalation.status == "REQUESTED"
    assert len(tickets_of(system, handled)) == 1


async def test_a_json_question_is_answered_while_valkey_stands_still(system: System, customer: Customer) -> None:
    conversation = await customer.open_conversation()

    system.freeze("valkey")
    try:
        attempt = await customer.ask(QUESTION, conversation=conversation)
    finally:
        system.thaw("valkey")

    assert attempt.status == "COMPLETED"


async def test_a_silent_knowledge_is_a_failure_and_no_answer(system: System, customer: Customer) -> None:
    conversation = await customer.open_conversation()

    system.freeze("knowledge")
    try:
        heard = await customer.listen(QUESTION, conversation=conversation)
    finally:
        system.thaw("knowledge")
    await recovered(system)
    (attempt,) = await until_closed(customer, conversation)

    assert grammar_fault(heard.names, closed=True) is None
    assert (heard.names[-1], json.loads(heard.events[-1].data)["code"]) == ("error", "KNOWLEDGE_TIMEOUT")
    assert (attempt.status, attempt.answer, attempt.parts) == ("FAILED", None, ())
