"""What a customer says about an answer reaches a reviewer, and what the reviewer finds becomes a golden case."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from contracts.customer import Attempt
from runtime.http import trust
from tests.support.customer import Customer, path_of
from tests.support.system import System

pytestmark = pytest.mark.journey

REFUND = "退款多久到账？"
UNHAPPY = {"rating": "NOT_HELPFUL", "reasonCode": "ANSWER_INCOMPLETE", "comment": "打 13800138000 没人接"}

Json = dict[str, Any]  # of any shape


@pytest.fixture
def reviewer(system: System) -> Iterator[httpx.Client]:
    token = system.command("token", "--tenant", "demo", "--role", "reviewer").stdout.strip()
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(
        base_url=f"{system.knowledge}/v1/staff/review", headers=headers, trust_env=False, verify=trust()
    ) as client:
        yield client


def items(reviewer: httpx.Client) -> dict[str, Json]:
    return {item["attemptId"]: item for item in read(reviewer, "/items?limit=100")["items"]}


def read(reviewer: httpx.Client, path: str) -> Json:
    return reviewer.get(path).raise_for_status().json()


def send(reviewer: httpx.Client, path: str, **body: object) -> Json:
    return reviewer.post(path, json=body).raise_for_status().json()


async def judged(customer: Customer) -> Attempt:
    attempt = await customer.ask(REFUND)
    (await customer.http.put(f"{path_of(attempt)}/feedback", json=UNHAPPY)).raise_for_status()
    return attempt


async def test_a_judgement_becomes_a_verdict_and_a_golden_case(
    customer: Customer, system: System, reviewer: httpx.Client
) -> None:
    attempt = await judged(customer)
    path = f"/items/{attempt.attempt_id}"
    system.wait(lambda: attempt.attempt_id in items(reviewer), "the judgement to reach the reviewers")

    detail = read(reviewer, path)
    send(reviewer, f"{path}/take")
    verdict = send(reviewer, f"{path}/verdicts", layer="CORRECT")
    made = send(reviewer, f"{path}/cases", category="journey", routes=["answer"])

    assert detail["item"]["reasons"] == ["NOT_HELPFUL"]
    assert (detail["question"]["text"], detail["feedback"]["comment"]) == (REFUND, "打 [phone] 没人接")
    assert [each["quote"] for each in detail["ending"]["citations"]] == [each.quote for each in attempt.citations]
    assert (verdict["number"], made["isNew"]) == (1, True)
    assert attempt.attempt_id not in items(reviewer)


async def test_a_wish_for_a_person_brings_a_closed_item_back(
    customer: Customer, system: System, reviewer: httpx.Client
) -> None:
    attempt = await judged(customer)
    path = f"/items/{attempt.attempt_id}"
    system.wait(lambda: attempt.attempt_id in items(reviewer), "the judgement to reach the reviewers")
    send(reviewer, f"{path}/take")
    send(reviewer, f"{path}/verdicts", layer="CORRECT")

    await customer.escalate(attempt)
    system.wait(lambda: attempt.attempt_id in items(reviewer), "the escalation to reach the reviewers")

    assert items(reviewer)[attempt.attempt_id]["reasons"] == ["NOT_HELPFUL", "ESCALATED"]
    assert system.command("review", "list").stdout.count(attempt.attempt_id) == 1
