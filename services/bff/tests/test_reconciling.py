"""bff and knowledge hold the same end of every attempt, or the difference is counted."""

from collections.abc import Callable
from typing import Final

import pytest
from prometheus_client import REGISTRY
from sqlalchemy import text

from bff.adapters.clients import Clients, open_clients
from bff.adapters.reconciling import Reconciler
from bff.settings import BffSettings
from contracts.answers import LoggedAnswer
from contracts.customer import Attempt
from contracts.reasons import FailureCode
from services.bff.tests.client import Customer
from services.bff.tests.fake_knowledge import VERSION, FakeKnowledge
from services.bff.tests.test_faults import logged_answer

pytestmark = pytest.mark.store

Change = Callable[[LoggedAnswer], LoggedAnswer | None]


def otherwise(answer: LoggedAnswer) -> LoggedAnswer:
    assert answer.outcome is not None
    return answer.model_copy(update={"outcome": answer.outcome.model_copy(update={"coverage": "conditional"})})


def failed_log(answer: LoggedAnswer, code: FailureCode) -> LoggedAnswer:
    return answer.model_copy(update={"status": "FAILED", "outcome": None, "citations": (), "failure_code": code})


SHOWN: Final[tuple[tuple[Change, str], ...]] = (
    (lambda answer: answer, "agreed"),
    (otherwise, "different"),
    (lambda answer: answer.model_copy(update={"knowledge_version": VERSION + 1}), "different"),
    (lambda answer: answer.model_copy(update={"citations": ()}), "different"),
    (lambda answer: failed_log(answer, FailureCode.KNOWLEDGE_ERROR), "different"),
    (lambda _: None, "different"),
)


FAILED: Final[tuple[tuple[Change, str], ...]] = (
    (lambda answer: failed_log(answer, FailureCode.KNOWLEDGE_ERROR), "agreed"),
    (lambda answer: failed_log(answer, FailureCode.VALIDATION_FAILED), "explained"),
    (lambda answer: answer, "explained"),
    (lambda answer: answer.model_copy(update={"citations": ()}), "explained"),
    (lambda _: None, "explained"),
)


async def agreement(customer: Customer, clients: Clients) -> str | None:
    async with clients.database.transaction(customer.tenant) as connection:
        return (await connection.execute(text("SELECT agreement FROM attempt"))).scalar_one()


async def closed(customer: Customer, question: str) -> Attempt:
    conversation = await customer.open_conversation()
    await customer.post_ask(question, conversation=conversation)
    (attempt,) = await customer.attempts(conversation)
    assert attempt.status != "PENDING"
    return attempt


def differences() -> float:
    return REGISTRY.get_sample_value("youju_attempts_compared_total", {"result": "different"}) or 0


@pytest.mark.parametrize(
    ("change", "expected"), SHOWN, ids=["equal", "other outcome", "other version", "contradictory", "failed", "nothing"]
)
async def test_a_result_that_was_shown_stands_in_the_log_as_it_was_shown(
    customer: Customer, clients: Clients, knowledge: FakeKnowledge, change: Change, expected: str
) -> None:
    attempt, before = await closed(customer, "answer"), differences()
    if (answer := change(logged_answer(attempt))) is not None:
        knowledge.logged[attempt.attempt_id] = answer

    compared = await Reconciler(clients).compare_batch(customer.tenant)

    assert (compared, await agreement(customer, clients)) == (1, expected)
    assert differences() - before == (expected == "different")


@pytest.mark.parametrize(
    ("change", "expected"), FAILED, ids=["equal", "other failure", "a result nobody saw", "contradictory", "nothing"]
)
async def test_a_failure_beside_another_end_is_explained(
    customer: Customer, clients: Clients, knowledge: FakeKnowledge, change: Change, expected: str
) -> None:
    attempt = await closed(customer, "broken")
    if (answer := change(logged_answer(attempt))) is not None:
        knowledge.logged[attempt.attempt_id] = answer

    await Reconciler(clients).compare_batch(customer.tenant)

    assert await agreement(customer, clients) == expected


async def test_every_attempt_is_compared_once(customer: Customer, clients: Clients, knowledge: FakeKnowledge) -> None:
    attempt = await closed(customer, "answer")
    knowledge.logged[attempt.attempt_id] = logged_answer(attempt)
    reconciler = Reconciler(clients)

    assert [await reconciler.compare_batch(customer.tenant) for _ in range(2)] == [1, 0]


async def test_one_that_knowledge_cannot_be_asked_about_holds_back_no_other(
    customer: Customer, clients: Clients, knowledge: FakeKnowledge
) -> None:
    first, second = await closed(customer, "answer"), await closed(customer, "answer")
    knowledge.unreadable.add(first.attempt_id)
    knowledge.logged[second.attempt_id] = logged_answer(second)

    assert await Reconciler(clients).compare_batch(customer.tenant) == 1


async def test_what_cannot_be_asked_now_is_asked_later(
    customer: Customer, clients: Clients, knowledge: FakeKnowledge, settings: BffSettings
) -> None:
    attempt = await closed(customer, "answer")
    knowledge.logged[attempt.attempt_id] = logged_answer(attempt)
    async with open_clients(settings.model_copy(update={"knowledge_url": "http://127.0.0.1:9"})) as cut_off:
        before = await Reconciler(cut_off).compare_batch(customer.tenant)

    assert (before, await agreement(customer, clients)) == (0, None)
    assert await Reconciler(clients).compare_batch(customer.tenant) == 1
