"""Judging, asking again, asking for a person and cancelling race with the end of an attempt: one story in the end."""

import asyncio
import random
from collections.abc import Awaitable, Callable

import httpx
import pytest
from sqlalchemy import text

from bff.adapters.clients import Clients
from contracts.customer import Attempt
from contracts.ids import uuid7
from services.bff.tests.client import KEY, Customer, path_of
from services.bff.tests.fake_knowledge import FakeKnowledge

pytestmark = pytest.mark.store

ALLOWED = {"ATTEMPT_PENDING", "ATTEMPT_NOT_COMPLETED", "CONFLICT", "CANCELLED"}
Move = Callable[[], Awaitable[httpx.Response | None]]


async def started(customer: Customer, knowledge: FakeKnowledge) -> Attempt:
    conversation = await customer.open_conversation()
    asking = asyncio.create_task(customer.post_ask("waiting", conversation=conversation))
    async with asyncio.timeout(60):
        while not (attempts := await customer.attempts(conversation)):
            pass
        await knowledge.reached(attempts[0].attempt_id).wait()
    asking.cancel()
    return attempts[0]


def moves(customer: Customer, knowledge: FakeKnowledge, attempt: Attempt) -> dict[str, Move]:
    path = path_of(attempt)

    async def complete() -> None:
        knowledge.gate(attempt.attempt_id).set()

    async def retry() -> httpx.Response:
        # Nobody answers what is asked again here: a stream says at once that it is.
        async with customer.http.stream("POST", f"{path}/retry", headers={"Accept": "text/event-stream"}) as answer:
            if not answer.is_success:
                await answer.aread()
        return answer

    return {
        "complete": complete,
        "judge": lambda: customer.http.put(f"{path}/feedback", json={"rating": "HELPFUL"}),
        "escalate": lambda: customer.http.post(f"{path}/escalations", json={}, headers={KEY: uuid7().hex}),
        "retry": retry,
        "read": lambda: customer.http.get(path),
    }


async def count(clients: Clients, tenant: str, attempt: Attempt) -> dict[str, int]:
    hex_id = attempt.attempt_id.removeprefix("att_")
    found: dict[str, int] = {}
    async with clients.database.transaction(tenant) as connection:
        for table, column in (
            ("feedback", "attempt_id"),
            ("escalation", "attempt_id"),
            ("attempt", "retry_of_attempt_id"),
        ):
            query = text(f"SELECT count(*) FROM {table} WHERE {column} = :id")  # noqa: S608 - names from the list above
            found[table] = (await connection.execute(query, {"id": hex_id})).scalar_one()
    return found


@pytest.mark.parametrize("seed", range(8))
async def test_whatever_comes_first_the_rows_say_what_was_answered(
    customer: Customer, knowledge: FakeKnowledge, clients: Clients, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - to repeat an order, not to hide one
    attempt = await started(customer, knowledge)
    possible = moves(customer, knowledge, attempt)
    if seed % 2:
        possible["cancel"] = lambda: customer.http.post(f"{path_of(attempt)}/cancel")
    order = [*possible, *chance.choices(["judge", "escalate", "retry"], k=4)]
    chance.shuffle(order)

    answers = await asyncio.gather(*(possible[name]() for name in order))

    said = [(name, answer) for name, answer in zip(order, answers, strict=True) if answer is not None]
    assert all(answer.is_success or answer.json()["code"] in ALLOWED for _, answer in said), said
    final = await customer.read(attempt)
    assert final.status in {"COMPLETED", "FAILED"}
    good = {name: [a for each, a in said if each == name and a.status_code < 300] for name in possible}
    rows = await count(clients, customer.tenant, attempt)
    assert rows["feedback"] == bool(good["judge"])
    assert rows["escalation"] == bool(good["escalate"])
    assert rows["attempt"] == len(good["retry"]) <= 3
    assert final.status == "COMPLETED" or not (rows["feedback"] or rows["escalation"])
    assert (final.feedback is not None) == bool(rows["feedback"])


@pytest.mark.parametrize("state", ["pending", "failed"])
async def test_what_needs_an_answer_is_refused_without_one(
    customer: Customer, knowledge: FakeKnowledge, state: str
) -> None:
    attempt = await started(customer, knowledge)
    if state == "failed":
        await customer.http.post(f"{path_of(attempt)}/cancel")
    possible = moves(customer, knowledge, attempt)

    answers = [await possible[name]() for name in ("judge", "escalate")]

    assert [answer and (answer.status_code, answer.json()["code"]) for answer in answers] == [
        (409, "ATTEMPT_NOT_COMPLETED")
    ] * 2
    if state == "pending":
        retried = await possible["retry"]()
        assert retried is not None
        assert (retried.status_code, retried.json()["code"]) == (409, "ATTEMPT_PENDING")
    await possible["complete"]()
