import asyncio
import json

import httpx
import pytest
from sqlalchemy import text

from bff.adapters.clients import Clients
from bff.main import create_app
from bff.settings import BffSettings
from contracts.customer import Attempt
from contracts.ids import uuid7
from services.bff.tests.client import KEY, Customer, insist, logged, names, open_customer, path_of
from services.bff.tests.fake_knowledge import FakeKnowledge
from services.bff.tests.serving import served

pytestmark = pytest.mark.store


async def test_the_same_ask_gives_the_same_attempt(customer: Customer, knowledge: FakeKnowledge) -> None:
    conversation, key = await customer.open_conversation(), uuid7().hex

    first = await customer.post_ask("answer", conversation=conversation, key=key)
    second = await customer.post_ask("answer", conversation=conversation, key=key)

    assert first.json() == second.json()
    assert ("idempotent-replayed" in first.headers, second.headers["idempotent-replayed"]) == (False, "true")
    assert knowledge.calls[first.json()["attemptId"]] == 1


async def test_a_hundred_at_once_are_one_attempt(customer: Customer) -> None:
    conversation, key = await customer.open_conversation(), uuid7().hex

    async def ask() -> httpx.Response:
        return await customer.post_ask("answer", conversation=conversation, key=key)

    answers = await asyncio.gather(*(insist(ask) for _ in range(100)))

    assert len({answer.json()["attemptId"] for answer in answers}) == 1
    assert len([answer for answer in answers if "idempotent-replayed" not in answer.headers]) == 1


async def test_a_repeat_in_flight_attaches_to_the_stream(customer: Customer, knowledge: FakeKnowledge) -> None:
    conversation, key = await customer.open_conversation(), uuid7().hex
    path = f"/v1/conversations/{conversation}/attempts"

    async with (
        asyncio.timeout(60),
        customer.stream("POST", path, question="held", key=key) as first,
        customer.stream("POST", path, question="held", key=key) as second,
    ):
        (attempt,) = await customer.attempts(conversation)
        knowledge.gate(attempt.attempt_id).set()
        heard = [[event async for event in events] for events in (first, second)]

    assert logged(heard[0]) == logged(heard[1])
    assert names(heard[1])[-1] == "completed"


async def test_a_lost_first_response_is_given_again(
    settings: BffSettings, tenant: str, knowledge: FakeKnowledge
) -> None:
    key = uuid7().hex
    impatient = create_app(settings.model_copy(update={"wait_seconds": 0.2}))
    async with served(impatient) as url, open_customer(url, tenant) as customer:
        conversation = await customer.open_conversation()
        lost = asyncio.create_task(customer.post_ask("waiting", conversation=conversation, key=key))
        attempt = await begun(customer, conversation, knowledge)
        lost.cancel()

        waiting = await customer.post_ask("waiting", conversation=conversation, key=key)
        knowledge.gate(attempt.attempt_id).set()
        await customer.reattach(attempt)
        done = await customer.post_ask("waiting", conversation=conversation, key=key)

    # A repeat waits as long as a first request would; then it says where to look.
    assert (waiting.status_code, waiting.json()["status"]) == (202, "PENDING")
    assert (done.status_code, done.json()["status"]) == (200, "COMPLETED")
    assert {waiting.json()["attemptId"], done.json()["attemptId"]} == {attempt.attempt_id}
    assert knowledge.calls[attempt.attempt_id] == 1


async def begun(customer: Customer, conversation: str, knowledge: FakeKnowledge) -> Attempt:
    """Give the first attempt of a conversation once knowledge works on it."""
    async with asyncio.timeout(60):
        while not (attempts := await customer.attempts(conversation)):
            pass
        await knowledge.reached(attempts[0].attempt_id).wait()
    return attempts[0]


async def test_a_repeat_after_the_end_streams_what_was_streamed(customer: Customer) -> None:
    conversation, key = await customer.open_conversation(), uuid7().hex
    path = f"/v1/conversations/{conversation}/attempts"
    heard: list[list[tuple[str, str, str]]] = []

    for _ in range(2):
        async with customer.stream("POST", path, question="answer", key=key) as events:
            heard.append(logged([event async for event in events]))

    assert heard[0] == heard[1]


async def test_opening_a_conversation_can_be_repeated(customer: Customer, bff_url: str) -> None:
    key = {KEY: uuid7().hex}

    answers = await asyncio.gather(*(customer.http.post("/v1/conversations", headers=key) for _ in range(50)))
    async with open_customer(bff_url, customer.tenant) as other:
        others = await other.http.post("/v1/conversations", headers=key)

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["conversationId"] for answer in answers}) == 1
    assert len([answer for answer in answers if "idempotent-replayed" not in answer.headers]) == 1
    assert others.json()["conversationId"] != answers[0].json()["conversationId"]


async def test_after_a_day_the_key_of_a_conversation_is_free_again(customer: Customer, clients: Clients) -> None:
    key = {KEY: uuid7().hex}
    first = await customer.http.post("/v1/conversations", headers=key)
    async with clients.database.transaction(customer.tenant) as connection:
        await connection.execute(text("UPDATE conversation SET created_at = created_at - interval '25 hours'"))

    second = await customer.http.post("/v1/conversations", headers=key)

    assert first.json()["conversationId"] != second.json()["conversationId"]


async def test_a_cancel_can_be_repeated(customer: Customer, knowledge: FakeKnowledge) -> None:
    conversation = await customer.open_conversation()
    asking = asyncio.create_task(customer.post_ask("waiting", conversation=conversation))
    attempt = await begun(customer, conversation, knowledge)

    answers = [await customer.http.post(f"{path_of(attempt)}/cancel") for _ in range(2)]

    assert [answer.json()["failureCode"] for answer in answers] == ["CANCELLED", "CANCELLED"]
    assert (await asking).json()["code"] == "CANCELLED"


@pytest.mark.parametrize("question", ["refusal", "answer "])
async def test_the_same_key_for_another_question_is_a_conflict(customer: Customer, question: str) -> None:
    conversation, key = await customer.open_conversation(), uuid7().hex
    await customer.post_ask("answer", conversation=conversation, key=key)

    answer = await customer.post_ask(question, conversation=conversation, key=key)

    assert (answer.status_code, answer.json()["code"]) == (409, "IDEMPOTENCY_CONFLICT")


async def test_the_same_key_in_another_conversation_is_a_conflict(customer: Customer) -> None:
    key = uuid7().hex
    await customer.post_ask("answer", conversation=await customer.open_conversation(), key=key)

    answer = await customer.post_ask("answer", conversation=await customer.open_conversation(), key=key)

    assert answer.json()["code"] == "IDEMPOTENCY_CONFLICT"


async def test_another_customer_may_use_the_same_key(customer: Customer, bff_url: str) -> None:
    key = uuid7().hex
    await customer.post_ask("answer", conversation=await customer.open_conversation(), key=key)

    async with open_customer(bff_url, customer.tenant) as other:
        answer = await other.post_ask("answer", conversation=await other.open_conversation(), key=key)

    assert (answer.status_code, "idempotent-replayed" in answer.headers) == (200, False)


async def test_after_a_day_the_key_is_free_again(customer: Customer, clients: Clients) -> None:
    conversation, key = await customer.open_conversation(), uuid7().hex
    first = await customer.post_ask("answer", conversation=conversation, key=key)
    async with clients.database.transaction(customer.tenant) as connection:
        await connection.execute(text("UPDATE attempt SET created_at = created_at - interval '25 hours'"))

    second = await customer.post_ask("refusal", conversation=conversation, key=key)

    assert second.status_code == 200
    assert first.json()["attemptId"] != second.json()["attemptId"]


@pytest.mark.parametrize("key", ["", "a b", "ü", "x" * 201])
async def test_a_key_that_is_none_is_refused(customer: Customer, key: str) -> None:
    path = f"/v1/conversations/{await customer.open_conversation()}/attempts"

    answer = await customer.http.post(path, json={"question": "answer"}, headers=[(KEY.encode(), key.encode())])

    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")


async def test_a_retry_is_a_new_attempt_at_the_original_question(customer: Customer) -> None:
    first = await customer.ask("answer")

    answer = await customer.http.post(f"{path_of(first)}/retry")

    second = answer.json()
    assert (second["question"], second["retryOfAttemptId"]) == ("answer", first.attempt_id)
    assert second["attemptId"] != first.attempt_id
    assert await customer.read(first) == first


async def test_a_retry_can_be_streamed(customer: Customer) -> None:
    first = await customer.ask("answer")

    async with customer.stream("POST", f"{path_of(first)}/retry") as events:
        heard = [event async for event in events]

    assert names(heard)[-1] == "completed"
    assert first.attempt_id in heard[0].data


async def test_a_lineage_has_three_retries_whichever_attempt_is_retried(customer: Customer) -> None:
    first = await customer.ask("answer")
    second = await customer.http.post(f"{path_of(first)}/retry")
    for _ in range(2):
        await customer.http.post(f"{path_of(first)}/retry")

    answers = [
        await customer.http.post(f"/v1/conversations/{first.conversation_id}/attempts/{attempt_id}/retry")
        for attempt_id in (first.attempt_id, second.json()["attemptId"])
    ]

    assert [answer.json()["code"] for answer in answers] == ["RETRY_LIMIT", "RETRY_LIMIT"]
    assert len(await customer.attempts(first.conversation_id)) == 4


async def test_retries_at_once_do_not_pass_the_limit(customer: Customer) -> None:
    first = await customer.ask("answer")

    for _ in range(4):
        await asyncio.gather(*(customer.http.post(f"{path_of(first)}/retry") for _ in range(5)))

    assert len(await customer.attempts(first.conversation_id)) == 4


async def test_the_same_retry_is_one_retry(customer: Customer) -> None:
    first, key = await customer.ask("answer"), {KEY: uuid7().hex}

    answers = [await customer.http.post(f"{path_of(first)}/retry", headers=key) for _ in range(5)]

    assert len({answer.json()["attemptId"] for answer in answers}) == 1


async def test_a_failed_attempt_can_be_retried(customer: Customer) -> None:
    conversation = await customer.open_conversation()
    await customer.post_ask("unavailable", conversation=conversation)
    (failed,) = await customer.attempts(conversation)

    answer = await customer.http.post(f"{path_of(failed)}/retry")

    assert (answer.status_code, answer.json()["code"]) == (503, "KNOWLEDGE_UNAVAILABLE")
    assert len(await customer.attempts(conversation)) == 2


async def test_after_two_refusals_the_handoff_rises(customer: Customer) -> None:
    first = await customer.ask("refusal")

    second = await customer.http.post(f"{path_of(first)}/retry")

    heard = await customer.listen("refusal", conversation=first.conversation_id)
    assert (first.handoff, second.json()["handoff"]) == ("offered", "required")
    assert '"handoff":"required"' in heard[-1].data
    assert (len(first.suggestions), len(second.json()["suggestions"])) == (0, 1)
    assert json.loads(heard[-1].data)["suggestions"] == second.json()["suggestions"]


async def test_after_two_equal_failures_the_handoff_is_offered(customer: Customer) -> None:
    conversation = await customer.open_conversation()
    for _ in range(2):
        await customer.post_ask("broken", conversation=conversation)

    answered = await customer.ask("answer", conversation=conversation)

    attempts = await customer.attempts(conversation)
    assert [attempt.handoff for attempt in attempts] == ["none", "offered", "offered"]
    assert [len(attempt.suggestions) for attempt in attempts] == [0, 1, 0]
    assert answered.handoff == "offered"
