import asyncio
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from bff.adapters.clients import Clients
from bff.settings import BffSettings
from bff.tasks.tickets import take_acknowledgement, take_change
from contracts.customer import Attempt, Conversation, Escalation
from contracts.ids import uuid7
from contracts.messages import ACKNOWLEDGED, TICKET_CHANGED, Acknowledged, CreateTicket, Envelope, TicketChanged
from contracts.reasons import EscalationStatus
from runtime.database import SyncDatabase
from services.bff.tests.client import KEY, Customer, insist, path_of
from services.bff.tests.fake_knowledge import FakeKnowledge

pytestmark = pytest.mark.store


@pytest.fixture
def worker_database(settings: BffSettings) -> Any:  # a generator fixture
    database = SyncDatabase(settings.database_url, pool_size=1)
    yield database
    database.close()


_ORDERS = "SELECT id, data, state, attempt_id FROM outbox WHERE type = 'youju.create_ticket.v1' ORDER BY created_at"


async def messages(clients: Clients, customer: Customer) -> list[dict[str, Any]]:  # rows of the outbox
    async with clients.database.transaction(customer.tenant) as connection:
        rows = await connection.execute(text(_ORDERS))
        return [dict(row) for row in rows.mappings()]


def envelope(customer: Customer, kind: str, data: TicketChanged | Acknowledged) -> Envelope:
    return Envelope(
        id=str(uuid7()),
        source="ticketing",
        type=kind,
        subject="made up",
        time=datetime.now(UTC),
        tenant=customer.tenant,
        attemptid="att_made_up",
        data=data.model_dump(mode="json"),
    )


def changed(
    customer: Customer,
    escalation: Escalation,
    status: EscalationStatus,
    *,
    sequence: int,
    number: str | None = "T-1",
    solution: str | None = None,
) -> Envelope:
    change = TicketChanged(
        tenant=customer.tenant,
        ticket_key="made up",
        escalation_id=escalation.escalation_id,
        attempt_id=escalation.attempt_id,
        ticket_number=number,
        status=status,
        sequence=sequence,
        changed_at=datetime.now(UTC),
        solution=solution,
    )
    return envelope(customer, TICKET_CHANGED, change)


async def read(customer: Customer, attempt: Attempt, escalation: Escalation) -> Escalation:
    path = f"/v1/conversations/{attempt.conversation_id}/escalations/{escalation.escalation_id}"
    return Escalation.model_validate_json((await customer.http.get(path)).raise_for_status().content)


async def test_a_wish_for_a_person_is_confirmed_and_written_down_with_all_that_matters(
    customer: Customer, clients: Clients
) -> None:
    earlier = await customer.ask("refusal")
    first = await customer.ask("answer", conversation=earlier.conversation_id)
    retried = await customer.http.post(f"{path_of(first)}/retry")
    attempt = Attempt.model_validate_json(retried.content)
    await customer.http.put(f"{path_of(attempt)}/feedback", json={"rating": "NOT_HELPFUL", "reasonCode": "NEED_HUMAN"})

    answer = await customer.http.post(
        f"{path_of(attempt)}/escalations", json={"note": "请打电话"}, headers={KEY: uuid7().hex}
    )

    (message,) = await messages(clients, customer)
    ticket = CreateTicket.model_validate(message["data"])
    assert (answer.status_code, answer.json()["status"], answer.json()["ticketNumber"]) == (201, "REQUESTED", None)
    assert ticket.ticket_key == f"{customer.tenant}:{answer.json()['escalationId']}"
    assert (ticket.question, ticket.answer, ticket.note) == (attempt.question, attempt.answer, "请打电话")
    assert [cited.quote for cited in ticket.citations] == [cited.quote for cited in attempt.citations]
    assert ticket.lineage == (first.attempt_id, attempt.attempt_id)
    assert [turn.question for turn in ticket.transcript] == ["refusal", "answer"]
    assert ticket.feedback is not None
    assert (ticket.feedback.reason_code, message["attempt_id"]) == ("NEED_HUMAN", attempt.attempt_id)


@pytest.mark.parametrize("keys", [1, 50])
async def test_fifty_clicks_are_one_escalation(customer: Customer, clients: Clients, keys: int) -> None:
    attempt = await customer.ask("answer")
    given = [uuid7().hex for _ in range(keys)]

    async def click(key: str) -> httpx.Response:
        return await insist(lambda: customer.post_escalation(attempt, key=key))

    answers = await asyncio.gather(*(click(given[n % keys]) for n in range(50)))

    assert sorted({answer.status_code for answer in answers}) == [200, 201]
    assert [answer.status_code for answer in answers].count(201) == 1
    assert len({answer.json()["escalationId"] for answer in answers}) == 1
    assert len(await messages(clients, customer)) == 1


async def test_a_wish_for_another_attempt_of_the_conversation_is_the_same_wish(customer: Customer) -> None:
    first = await customer.ask("answer")
    second = await customer.ask("refusal", conversation=first.conversation_id)

    escalations = [await customer.escalate(first), await customer.escalate(second)]

    assert escalations[0] == escalations[1]


async def test_a_wish_needs_a_key(customer: Customer) -> None:
    attempt = await customer.ask("answer")

    answer = await customer.http.post(f"{path_of(attempt)}/escalations", json={})

    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")


async def test_the_same_key_with_another_note_is_a_conflict(customer: Customer) -> None:
    attempt, key = await customer.ask("answer"), {KEY: uuid7().hex}
    await customer.http.post(f"{path_of(attempt)}/escalations", json={}, headers=key)

    answer = await customer.http.post(f"{path_of(attempt)}/escalations", json={"note": "anders"}, headers=key)

    assert (answer.status_code, answer.json()["code"]) == (409, "IDEMPOTENCY_CONFLICT")


async def test_a_failed_attempt_cannot_be_handed_over(customer: Customer) -> None:
    conversation = await customer.open_conversation()
    await customer.post_ask("broken", conversation=conversation)
    (failed,) = await customer.attempts(conversation)

    answer = await customer.post_escalation(failed)

    assert (answer.status_code, answer.json()["code"]) == (409, "ATTEMPT_NOT_COMPLETED")


async def test_a_complaint_escalates_by_itself_and_a_click_finds_it(customer: Customer, clients: Clients) -> None:
    attempt = await customer.ask("complaint")

    read = await customer.http.get(f"/v1/conversations/{attempt.conversation_id}")
    clicked = await customer.post_escalation(attempt)

    by_rule = Conversation.model_validate_json(read.content).escalation
    assert by_rule is not None
    assert (clicked.status_code, clicked.json()["escalationId"]) == (200, by_rule.escalation_id)
    assert len(await messages(clients, customer)) == 1


async def test_the_customer_sees_what_the_ticket_says_in_its_order(
    customer: Customer, worker_database: SyncDatabase
) -> None:
    attempt = await customer.ask("answer")
    escalation = await customer.escalate(attempt)
    news = [
        changed(customer, escalation, "IN_PROGRESS", sequence=2, number=None),
        changed(customer, escalation, "TICKET_CREATED", sequence=1),
        changed(customer, escalation, "IN_PROGRESS", sequence=3),
        changed(customer, escalation, "IN_PROGRESS", sequence=3),
        changed(customer, escalation, "SOLVED", sequence=4),
        changed(customer, escalation, "IN_PROGRESS", sequence=5),
    ]

    seen: list[tuple[str, str | None]] = []
    for each in news:
        await asyncio.to_thread(take_change, each, worker_database)
        found = await read(customer, attempt, escalation)
        seen.append((found.status, found.ticket_number))

    assert seen == [
        ("IN_PROGRESS", None),
        ("IN_PROGRESS", None),
        ("IN_PROGRESS", "T-1"),
        ("IN_PROGRESS", "T-1"),
        ("SOLVED", "T-1"),
        ("SOLVED", "T-1"),
    ]


async def test_what_a_person_wrote_reaches_the_customer_and_stays(
    customer: Customer, worker_database: SyncDatabase
) -> None:
    attempt = await customer.ask("answer")
    escalation = await customer.escalate(attempt)

    solved = changed(customer, escalation, "SOLVED", sequence=2, solution="已退款。")
    for news in (solved, changed(customer, escalation, "IN_PROGRESS", sequence=1)):
        await asyncio.to_thread(take_change, news, worker_database)

    found = await read(customer, attempt, escalation)
    assert (found.status, found.solution) == ("SOLVED", "已退款。")


async def test_while_a_person_has_the_conversation_the_assistant_is_silent(
    customer: Customer, worker_database: SyncDatabase
) -> None:
    attempt = await customer.ask("answer")
    escalation = await customer.escalate(attempt)

    before = await customer.post_ask("answer", conversation=attempt.conversation_id)
    await asyncio.to_thread(take_change, changed(customer, escalation, "TICKET_CREATED", sequence=1), worker_database)
    meanwhile = await customer.post_ask("answer", conversation=attempt.conversation_id)
    retried = await customer.http.post(f"{path_of(attempt)}/retry")
    await asyncio.to_thread(take_change, changed(customer, escalation, "SOLVED", sequence=2), worker_database)
    after = await customer.post_ask("answer", conversation=attempt.conversation_id)

    assert (before.status_code, after.status_code) == (200, 200)
    assert [answer.json()["code"] for answer in (meanwhile, retried)] == ["CONVERSATION_WITH_PERSON"] * 2
    assert meanwhile.json()["ticketNumber"] == "T-1"


async def test_a_person_who_takes_over_while_an_answer_is_made_is_not_talked_over(
    customer: Customer, worker_database: SyncDatabase, knowledge: FakeKnowledge
) -> None:
    attempt = await customer.ask("answer")
    escalation = await customer.escalate(attempt)
    asking = asyncio.create_task(customer.post_ask("waiting", conversation=attempt.conversation_id))
    async with asyncio.timeout(60):
        while len(attempts := await customer.attempts(attempt.conversation_id)) < 2:
            pass
        await knowledge.reached(attempts[-1].attempt_id).wait()
    await asyncio.to_thread(take_change, changed(customer, escalation, "TICKET_CREATED", sequence=1), worker_database)

    knowledge.gate(attempts[-1].attempt_id).set()

    answer, late = await asking, await customer.read(attempts[-1])
    assert (answer.status_code, answer.json()["code"]) == (409, "CONVERSATION_WITH_PERSON")
    assert answer.json()["ticketNumber"] == "T-1"
    assert (late.status, late.failure_code, late.answer) == ("FAILED", "CANCELLED", None)


async def test_after_the_solution_a_new_wish_is_a_new_escalation(
    customer: Customer, worker_database: SyncDatabase
) -> None:
    attempt, key = await customer.ask("answer"), uuid7().hex
    first = await customer.post_escalation(attempt, key=key)
    solved = changed(customer, Escalation.model_validate_json(first.content), "SOLVED", sequence=1)
    await asyncio.to_thread(take_change, solved, worker_database)

    repeated = await customer.post_escalation(attempt, key=key)
    renewed = await customer.post_escalation(attempt)

    assert repeated.json()["escalationId"] == first.json()["escalationId"]
    assert (renewed.status_code, renewed.json()["escalationId"] == first.json()["escalationId"]) == (201, False)


async def test_unchanged_news_cost_no_body(customer: Customer, worker_database: SyncDatabase) -> None:
    attempt = await customer.ask("answer")
    escalation = await customer.escalate(attempt)
    path = f"/v1/conversations/{attempt.conversation_id}/escalations/{escalation.escalation_id}"
    tag = (await customer.http.get(path)).headers["etag"]

    same = await customer.http.get(path, headers={"If-None-Match": f'"other", {tag}'})
    await asyncio.to_thread(take_change, changed(customer, escalation, "TICKET_CREATED", sequence=1), worker_database)
    news = await customer.http.get(path, headers={"If-None-Match": tag})

    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
    assert (news.status_code, news.json()["ticketNumber"]) == (200, "T-1")


async def test_only_the_receiver_ends_a_message(
    customer: Customer, clients: Clients, worker_database: SyncDatabase
) -> None:
    await customer.escalate(await customer.ask("answer"))
    (message,) = await messages(clients, customer)
    told = envelope(customer, ACKNOWLEDGED, Acknowledged(message_id=str(message["id"])))

    for _ in range(2):
        await asyncio.to_thread(take_acknowledgement, told, worker_database)

    assert [each["state"] for each in await messages(clients, customer)] == ["ACKNOWLEDGED"]


async def test_news_of_an_erased_escalation_is_heard_and_forgotten(
    customer: Customer, clients: Clients, worker_database: SyncDatabase
) -> None:
    attempt = await customer.ask("answer")
    escalation = await customer.escalate(attempt)

    erased = await customer.http.delete(f"/v1/conversations/{attempt.conversation_id}")
    await asyncio.to_thread(take_change, changed(customer, escalation, "SOLVED", sequence=1), worker_database)

    assert erased.status_code == 204
    assert await messages(clients, customer) == []
    assert (await customer.http.get(path_of(attempt))).status_code == 404
