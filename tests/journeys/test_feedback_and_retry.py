"""Feedback stays on the attempt it judged; a retry is a new attempt with a lineage."""

from http import HTTPStatus

import httpx
import pytest

from contracts.customer import Attempt
from tests.support.customer import Customer, path_of

pytestmark = pytest.mark.journey

REFUND = "退款多久到账？"


async def retried(customer: Customer, attempt: Attempt) -> httpx.Response:
    return await customer.http.post(f"{path_of(attempt)}/retry")


async def test_feedback_can_be_given_corrected_and_read_back(customer: Customer) -> None:
    attempt = await customer.ask(REFUND)
    path = f"{path_of(attempt)}/feedback"

    before = await customer.http.get(path)
    await customer.http.put(path, json={"rating": "HELPFUL"})
    corrected = {"rating": "NOT_HELPFUL", "reasonCode": "ANSWER_INCOMPLETE", "comment": "没说信用卡"}
    answer = await customer.http.put(path, json=corrected)

    assert before.status_code == HTTPStatus.NOT_FOUND
    assert answer.is_success
    assert (await customer.http.get(path)).json() == corrected
    stored = (await customer.read(attempt)).feedback
    assert stored is not None
    assert stored.comment == "没说信用卡"


async def test_a_bad_judgement_needs_a_reason(customer: Customer) -> None:
    attempt = await customer.ask(REFUND)

    answer = await customer.http.put(f"{path_of(attempt)}/feedback", json={"rating": "NOT_HELPFUL"})

    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")


async def test_a_retry_is_a_new_attempt_and_leaves_the_old_one_alone(customer: Customer) -> None:
    first = await customer.ask(REFUND)

    second = Attempt.model_validate_json((await retried(customer, first)).raise_for_status().content)

    assert second.attempt_id != first.attempt_id
    assert second.retry_of_attempt_id == first.attempt_id
    assert second.question == first.question
    assert second.trace_id != first.trace_id
    assert await customer.read(first) == first


async def test_after_three_retries_the_lineage_is_at_its_end(customer: Customer) -> None:
    attempt = await customer.ask(REFUND)
    for _ in range(3):
        attempt = Attempt.model_validate_json((await retried(customer, attempt)).raise_for_status().content)

    answer = await retried(customer, attempt)

    assert (answer.status_code, answer.json()["code"]) == (409, "RETRY_LIMIT")


async def test_after_two_refusals_the_way_to_a_person_comes_forward(customer: Customer) -> None:
    first = await customer.ask("火星基地的重力是多少？")

    second = Attempt.model_validate_json((await retried(customer, first)).raise_for_status().content)

    assert (first.handoff, second.handoff) == ("offered", "required")
