import pytest

from contracts.reasons import FeedbackReason
from services.bff.tests.client import Customer, open_customer, path_of

pytestmark = pytest.mark.store


async def test_a_judgement_is_given_corrected_and_read_back(customer: Customer) -> None:
    attempt = await customer.ask("answer")
    path = f"{path_of(attempt)}/feedback"
    corrected = {"rating": "NOT_HELPFUL", "reasonCode": "OUTDATED", "comment": "去年的\n😀"}

    before = await customer.http.get(path)
    await customer.http.put(path, json={"rating": "HELPFUL"})
    answer = await customer.http.put(path, json=corrected)

    assert before.status_code == 404
    assert (answer.status_code, answer.json()) == (200, corrected)
    assert (await customer.http.get(path)).json() == corrected
    assert (await customer.read(attempt)).feedback is not None


@pytest.mark.parametrize("reason", FeedbackReason)
async def test_every_reason_can_be_given(customer: Customer, reason: FeedbackReason) -> None:
    attempt = await customer.ask("refusal")

    answer = await customer.http.put(
        f"{path_of(attempt)}/feedback", json={"rating": "NOT_HELPFUL", "reasonCode": reason}
    )

    assert answer.json() == {"rating": "NOT_HELPFUL", "reasonCode": reason, "comment": None}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"rating": "NOT_HELPFUL"},
        {"rating": "HELPFUL", "reasonCode": "OUTDATED"},
        {"rating": "NOT_HELPFUL", "reasonCode": "BECAUSE"},
        {"rating": "HELPFUL", "comment": "😀" * 501},
        {"rating": "HELPFUL", "comment": "\x00"},
        {"rating": "HELPFUL", "score": 5},
    ],
)
async def test_other_judgements_are_refused(customer: Customer, body: dict[str, object]) -> None:
    attempt = await customer.ask("answer")

    answer = await customer.http.put(f"{path_of(attempt)}/feedback", json=body)

    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")


async def test_five_hundred_code_points_are_a_comment(customer: Customer) -> None:
    attempt = await customer.ask("answer")

    answer = await customer.http.put(f"{path_of(attempt)}/feedback", json={"rating": "HELPFUL", "comment": "😀" * 500})

    assert answer.status_code == 200


async def test_a_failed_attempt_cannot_be_judged(customer: Customer) -> None:
    conversation = await customer.open_conversation()
    await customer.post_ask("broken", conversation=conversation)
    (failed,) = await customer.attempts(conversation)

    answer = await customer.http.put(f"{path_of(failed)}/feedback", json={"rating": "HELPFUL"})

    assert (answer.status_code, answer.json()["code"]) == (409, "ATTEMPT_NOT_COMPLETED")


async def test_a_judgement_stays_on_the_attempt_it_judged(customer: Customer) -> None:
    first = await customer.ask("answer")
    await customer.http.put(f"{path_of(first)}/feedback", json={"rating": "HELPFUL"})

    await customer.http.post(f"{path_of(first)}/retry")

    attempts = await customer.attempts(first.conversation_id)
    assert [attempt.feedback is not None for attempt in attempts] == [True, False]


async def test_another_customer_cannot_judge(customer: Customer, bff_url: str) -> None:
    attempt = await customer.ask("answer")

    async with open_customer(bff_url, customer.tenant) as other:
        answer = await other.http.put(f"{path_of(attempt)}/feedback", json={"rating": "HELPFUL"})

    assert answer.status_code == 404
    assert (await customer.read(attempt)).feedback is None
