"""Knowledge hears of every judgement and of every wish for a person, once for each."""

from typing import Any

import pytest
from sqlalchemy import text

from bff.adapters.clients import Clients
from contracts.messages import (
    ATTEMPT_JUDGED,
    ESCALATION_REQUESTED,
    KNOWLEDGE_QUEUE,
    AttemptJudged,
    EscalationRequested,
)
from services.bff.tests.client import Customer, path_of

pytestmark = pytest.mark.store

UNHAPPY = {"rating": "NOT_HELPFUL", "reasonCode": "OUTDATED", "comment": "我的电话是 13800138000"}


async def told(clients: Clients, customer: Customer, kind: str) -> list[dict[str, Any]]:  # payloads of messages
    query = text("SELECT data FROM outbox WHERE type = :type AND queue = :queue ORDER BY id")
    async with clients.database.transaction(customer.tenant) as connection:
        rows = await connection.execute(query, {"type": kind, "queue": KNOWLEDGE_QUEUE})
        return list(rows.scalars())


async def test_a_judgement_and_its_correction_are_told_and_a_repeat_is_not(
    customer: Customer, clients: Clients
) -> None:
    attempt = await customer.ask("answer")

    for body in (UNHAPPY, UNHAPPY, {"rating": "HELPFUL"}):
        (await customer.http.put(f"{path_of(attempt)}/feedback", json=body)).raise_for_status()

    first, second = [AttemptJudged.model_validate(each) for each in await told(clients, customer, ATTEMPT_JUDGED)]
    assert (first.attempt_id, first.tenant) == (attempt.attempt_id, customer.tenant)
    assert (first.rating, first.reason_code, first.comment, first.is_correction) == (
        "NOT_HELPFUL", "OUTDATED", UNHAPPY["comment"], False
    )  # fmt: skip
    assert (second.rating, second.reason_code, second.comment, second.is_correction) == ("HELPFUL", None, None, True)
    assert second.judged_at > first.judged_at


async def test_a_wish_for_a_person_is_told_once(customer: Customer, clients: Clients) -> None:
    attempt = await customer.ask("answer")

    escalation = await customer.escalate(attempt)
    await customer.escalate(attempt)

    (news,) = [EscalationRequested.model_validate(each) for each in await told(clients, customer, ESCALATION_REQUESTED)]
    assert (news.escalation_id, news.attempt_id) == (escalation.escalation_id, attempt.attempt_id)
    assert news.origin == "customer"


async def test_a_wish_by_rule_says_so(customer: Customer, clients: Clients) -> None:
    await customer.ask("complaint")

    (news,) = await told(clients, customer, ESCALATION_REQUESTED)
    assert news["origin"] == "rule"


async def test_erasing_a_conversation_takes_its_messages_along(customer: Customer, clients: Clients) -> None:
    attempt = await customer.ask("answer")
    await customer.http.put(f"{path_of(attempt)}/feedback", json=UNHAPPY)
    await customer.escalate(attempt)

    await customer.http.delete(f"/v1/conversations/{attempt.conversation_id}")

    assert await told(clients, customer, ATTEMPT_JUDGED) == []
    assert await told(clients, customer, ESCALATION_REQUESTED) == []
