import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import httpx
import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from bff.adapters.clients import Clients
from bff.adapters.records import read_story
from bff.adapters.retention import Retention
from bff.attempts.attempt import Attempt
from bff.attempts.store import AttemptStore
from bff.erasure.forgetting import messages_about
from bff.escalations.opening import Wish, escalate
from bff.escalations.store import EscalationStore
from contracts import customer as bodies
from contracts.customer import Feedback
from contracts.errors import NotFoundError
from contracts.ids import parsed, uuid7
from contracts.messages import KNOWLEDGE_QUEUE, TICKETING_QUEUE
from services.bff.tests.client import KEY, Customer, open_customer, path_of
from services.bff.tests.conftest import add_tenant
from services.bff.tests.fake_knowledge import FakeKnowledge
from services.bff.tests.staffing import open_staff
from tests.support.everything import kept_in_valkey

pytestmark = pytest.mark.store

TABLES = ("conversation", "attempt", "feedback", "escalation", "outbox")
Told = list[tuple[str, str | None, list[str]]]


@pytest.fixture
async def operator(bff_url: str, keys_directory: Path, tenant: str) -> AsyncIterator[httpx.AsyncClient]:
    async with open_staff(bff_url, keys_directory, tenant, "operator") as client:
        yield client


async def held(clients: Clients, tenant: str, words: str) -> list[str]:
    """Name where words are held: tables of the tenant, and keys of Valkey."""
    found: list[str] = []
    async with clients.database.transaction(tenant) as connection:
        for table in TABLES:
            query = text(f"SELECT EXISTS (SELECT FROM {table} AS row WHERE row::text LIKE :words)")  # noqa: S608 - a name from the list above
            if (await connection.execute(query, {"words": f"%{words}%"})).scalar_one():
                found.append(table)
    keys = kept_in_valkey(clients.settings.redis_url)
    return [*found, *(key for key, content in keys.items() if words in content)]


async def told(clients: Clients, tenant: str) -> Told:
    async with clients.database.transaction(tenant) as connection:
        rows = await connection.execute(
            text("SELECT queue, data FROM outbox WHERE type = 'youju.customer_erased.v1' ORDER BY queue")
        )
        return [(row.queue, row.data["customer"], row.data["attemptIds"]) for row in rows]


async def who(clients: Clients, tenant: str) -> str:
    async with clients.database.transaction(tenant) as connection:
        return (await connection.execute(text("SELECT DISTINCT customer FROM conversation"))).scalar_one()


async def find(connection: AsyncConnection, asked: bodies.Attempt, tenant: str) -> tuple[AttemptStore, Attempt]:
    """Find an attempt the way a request of its customer does."""
    name = (await connection.execute(text("SELECT DISTINCT customer FROM conversation"))).scalar_one()
    store = AttemptStore(connection, tenant=tenant, customer=name)
    return store, await store.find(parsed("cnv", asked.conversation_id), parsed("att", asked.attempt_id))


async def is_somebody_waiting(clients: Clients, tenant: str) -> bool:
    waiting = text("SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted)")
    async with clients.database.transaction(tenant) as connection:
        return (await connection.execute(waiting)).scalar_one()


async def say(customer: Customer, words: str) -> str:
    """Leave words wherever a customer can leave them."""
    conversation = await customer.open_conversation()
    answer = await customer.http.post(
        f"/v1/conversations/{conversation}/attempts",
        json={"question": f"answer {words}", "facts": {"fact": words}},
        headers={KEY: words},
    )
    path = f"/v1/conversations/{conversation}/attempts/{answer.json()['attemptId']}"
    judgement = {"rating": "NOT_HELPFUL", "reasonCode": "OUTDATED", "comment": words}
    (await customer.http.put(f"{path}/feedback", json=judgement)).raise_for_status()
    headers = {KEY: f"{words}-escalation"}
    (await customer.http.post(f"{path}/escalations", json={"note": words}, headers=headers)).raise_for_status()
    return conversation


async def test_an_erased_conversation_is_held_nowhere_and_told_to_all(customer: Customer, clients: Clients) -> None:
    words = f"dunlin-{uuid7().hex}"
    kept = await say(customer, f"kept-{uuid7().hex}")
    conversation = await say(customer, words)
    assert set(TABLES) - {"conversation"} <= set(await held(clients, customer.tenant, words))
    (attempt,) = await customer.attempts(conversation)

    answer = await customer.http.delete(f"/v1/conversations/{conversation}")
    again = await customer.http.delete(f"/v1/conversations/{conversation}")

    assert (answer.status_code, again.status_code) == (204, 404)
    assert await held(clients, customer.tenant, words) == []
    assert await told(clients, customer.tenant) == [
        (KNOWLEDGE_QUEUE, None, [attempt.attempt_id]),
        (TICKETING_QUEUE, None, [attempt.attempt_id]),
    ]
    assert len(await customer.attempts(kept)) == 1


async def test_an_erased_customer_is_held_nowhere_and_others_stay(
    customer: Customer, clients: Clients, operator: httpx.AsyncClient, bff_url: str
) -> None:
    words, other = f"knot-{uuid7().hex}", f"plover-{uuid7().hex}"
    for _ in range(3):
        await say(customer, f"{words}-{uuid7().hex}")
    name = await who(clients, customer.tenant)
    async with open_customer(bff_url, customer.tenant) as neighbour:
        await say(neighbour, other)

    first = await operator.post("/v1/staff/customers/erasures", json={"customer": name})
    second = await operator.post("/v1/staff/customers/erasures", json={"customer": name})

    assert first.json() == {"conversations": 3, "attempts": 3}
    assert second.json() == {"conversations": 0, "attempts": 0}
    assert await held(clients, customer.tenant, words) == []
    assert await held(clients, customer.tenant, other) != []
    assert [(queue, customer_name, len(ids)) for queue, customer_name, ids in await told(clients, customer.tenant)] == [
        (KNOWLEDGE_QUEUE, name, 3),
        (TICKETING_QUEUE, name, 3),
    ]


async def test_a_judgement_that_is_under_way_while_it_is_erased_leaves_no_message(
    customer: Customer, clients: Clients
) -> None:
    words = f"godwit-{uuid7().hex}"
    asked = await customer.ask("answer")
    judgement = Feedback(rating="HELPFUL", comment=words)
    async with clients.database.transaction(customer.tenant) as connection:
        store, attempt = await find(connection, asked, customer.tenant)
        await store.judge(attempt, judgement)
        erasing = asyncio.create_task(customer.http.delete(f"/v1/conversations/{asked.conversation_id}"))
        while not erasing.done() and not await is_somebody_waiting(clients, customer.tenant):
            pass

    assert (await erasing).status_code == 204
    assert await held(clients, customer.tenant, words) == []


async def test_what_was_erased_since_it_was_found_can_neither_be_judged_nor_handed_over(
    customer: Customer, clients: Clients
) -> None:
    asked = await customer.ask("answer")
    async with clients.database.transaction(customer.tenant) as connection:
        _, attempt = await find(connection, asked, customer.tenant)
    whose = {"tenant": customer.tenant, "customer": attempt.customer}
    await customer.http.delete(f"/v1/conversations/{asked.conversation_id}")

    with pytest.raises(NotFoundError):
        async with clients.database.transaction(customer.tenant) as connection:
            await AttemptStore(connection, **whose).judge(attempt, Feedback(rating="HELPFUL"))
    wish = Wish(
        escalation_id=uuid7(), origin="customer", attempt=attempt, note=None, request=None, wished_at=clients.clock()
    )
    with pytest.raises(NotFoundError):
        async with clients.database.transaction(customer.tenant) as connection:
            ledger = EscalationStore(connection, **whose)
            await escalate(wish, ledger=ledger, tell=partial(read_story, connection))


async def test_an_attempt_that_runs_while_it_is_erased_leaves_nothing(
    customer: Customer, clients: Clients, knowledge: FakeKnowledge
) -> None:
    conversation, words = await customer.open_conversation(), "held"
    asking = asyncio.create_task(customer.post_ask(words, conversation=conversation))
    async with asyncio.timeout(60):
        while not (attempts := await customer.attempts(conversation)):
            pass

    await customer.http.delete(f"/v1/conversations/{conversation}")
    knowledge.gate(attempts[0].attempt_id).set()

    assert (await asking).status_code == 404
    async with clients.database.transaction(customer.tenant) as connection:
        assert (await connection.execute(text("SELECT count(*) FROM attempt"))).scalar_one() == 0


async def test_what_is_held_about_a_customer_can_be_taken_along(
    customer: Customer, clients: Clients, operator: httpx.AsyncClient
) -> None:
    words = f"curlew-{uuid7().hex}"
    conversation = await say(customer, words)
    for _ in range(21):
        await customer.open_conversation()
    query = {"customer": await who(clients, customer.tenant)}

    first = (await operator.get("/v1/staff/customers/export", params=query)).json()
    rest = (await operator.get("/v1/staff/customers/export", params={**query, "cursor": first["nextCursor"]})).json()

    exported = first["items"][0]
    assert (len(first["items"]), len(rest["items"]), rest["nextCursor"]) == (20, 2, None)
    assert exported["conversationId"] == conversation
    attempt, escalation = exported["attempts"][0], exported["escalations"][0]
    assert (attempt["question"], attempt["typedFacts"]) == (f"answer {words}", {"fact": words})
    assert (attempt["feedback"]["comment"], escalation["note"]) == (words, words)
    assert not {"model", "leaseHolder", "events"} & set(attempt)


async def test_a_name_that_no_customer_has_is_no_valid_request(operator: httpx.AsyncClient) -> None:
    erased = await operator.post("/v1/staff/customers/erasures", json={"customer": "a\x00b"})
    exported = await operator.get("/v1/staff/customers/export", params={"customer": "a\x00b"})

    assert (erased.status_code, exported.status_code) == (400, 400)


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/v1/staff/customers/erasures"), ("GET", "/v1/staff/customers/export?customer=x")]
)
async def test_only_an_operator_may(
    bff_url: str, keys_directory: Path, customer: Customer, method: str, path: str
) -> None:
    body = {"customer": "x"}
    async with open_staff(bff_url, keys_directory, customer.tenant, "support", "reviewer") as support:
        forbidden = await support.request(method, path, json=body)
    async with open_staff(bff_url, keys_directory, "nobody", "operator") as stranger:
        unknown = await stranger.request(method, path, json=body)

    assert (forbidden.status_code, forbidden.json()["code"]) == (403, "FORBIDDEN")
    assert unknown.status_code == 401
    assert (await customer.http.request(method, path, json=body)).status_code == 401


async def test_another_tenants_operator_finds_nothing(
    bff_url: str, keys_directory: Path, tenants_file: Path, customer: Customer, clients: Clients
) -> None:
    await say(customer, "x")
    name = await who(clients, customer.tenant)
    async with open_staff(bff_url, keys_directory, add_tenant(tenants_file), "operator") as stranger:
        exported = await stranger.get("/v1/staff/customers/export", params={"customer": name})
        erased = await stranger.post("/v1/staff/customers/erasures", json={"customer": name})

    assert (exported.json()["items"], erased.json()["conversations"]) == ([], 0)


@pytest.fixture
def later(clients: Clients) -> Clients:
    return replace(clients, clock=lambda: datetime.now(UTC) + timedelta(days=31))


async def test_conversations_are_erased_when_nothing_was_said_for_so_long(
    bff_url: str, tenants_file: Path, clients: Clients, later: Clients
) -> None:
    tenant = add_tenant(tenants_file, retention_days=30)
    async with open_customer(bff_url, tenant) as customer:
        old = await customer.ask("answer")
        in_hand = await customer.ask("answer")
        await customer.escalate(in_hand)

        await Retention(clients).run()
        assert (await customer.http.get(path_of(old))).status_code == 200
        await Retention(later).run()

        assert (await customer.http.get(path_of(old))).status_code == 404
        assert (await customer.http.get(path_of(in_hand))).status_code == 200
    assert [ids for _, _, ids in await told(clients, tenant)] == [[old.attempt_id], [old.attempt_id]]


async def test_without_a_retention_nothing_grows_too_old(customer: Customer, later: Clients) -> None:
    attempt = await customer.ask("answer")

    await Retention(later).run()

    assert (await customer.http.get(path_of(attempt))).status_code == 200


async def test_keys_go_after_a_day_and_handled_messages_after_a_week(customer: Customer, clients: Clients) -> None:
    attempt = await customer.ask("answer")
    await customer.post_ask("answer", conversation=attempt.conversation_id, key="a-key")
    await customer.escalate(attempt)
    aging = (
        "UPDATE attempt SET created_at = created_at - interval '25 hours'",
        "UPDATE outbox SET state = 'ACKNOWLEDGED', acknowledged_at = clock_timestamp() - interval '8 days'",
    )
    async with clients.database.transaction(customer.tenant) as connection:
        for statement in aging:
            await connection.execute(text(statement))

    await Retention(clients).drop_repeats()

    async with clients.database.transaction(customer.tenant) as connection:
        keys = await connection.execute(text("SELECT count(request_key) + count(request_hash) FROM attempt"))
        assert keys.scalar_one() == 0
        assert (await connection.execute(text("SELECT count(*) FROM outbox"))).scalar_one() == 0
        # The key of an escalation never expires.
        assert (await connection.execute(text("SELECT count(request_key) FROM escalation"))).scalar_one() == 1


def test_an_erasure_of_many_attempts_is_told_in_small_messages() -> None:
    moment = datetime.now(UTC)
    said = list(messages_about(tuple(uuid7() for _ in range(450)), tenant="t", customer="c", erased_at=moment))

    assert [len(each.attempt_ids) for each in said] == [200, 200, 50]
    assert json.loads(said[0].model_dump_json())["customer"] == "c"
