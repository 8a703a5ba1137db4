"""The processes of bff around their parts: the page, readiness, the contract, the queue, the clock, the trace."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from sqlalchemy import text

from bff.adapters.clients import Clients
from bff.main import create_app
from bff.pulse import duties
from bff.settings import BffSettings
from bff.worker import create_worker
from contracts.ids import uuid7
from contracts.messages import (
    ACKNOWLEDGED,
    CREATE_TICKET,
    KNOWLEDGE_QUEUE,
    TICKET_CHANGED,
    TICKETING_QUEUE,
    URGENT_TICKETING_QUEUE,
    CreateTicket,
    Envelope,
    TicketChanged,
)
from runtime.database import Database, SyncDatabase
from runtime.http import trust
from services.bff.tests.client import Customer, open_customer
from services.bff.tests.contract import CONTRACT
from services.bff.tests.fake_knowledge import FakeKnowledge
from services.bff.tests.serving import served
from youju.staff_openapi import without_staff

pytestmark = pytest.mark.store


@pytest.fixture
async def sweeper(settings: BffSettings) -> AsyncIterator[Database]:
    assert settings.sweeper_database_url is not None
    database = Database(settings.sweeper_database_url, pool_size=1)
    yield database
    await database.close()


@pytest.fixture
def worker_database(settings: BffSettings) -> Iterator[SyncDatabase]:
    database = SyncDatabase(settings.database_url, pool_size=1)
    yield database
    database.close()


@pytest.fixture
def traced() -> None:
    if not isinstance(trace.get_tracer_provider(), TracerProvider):
        trace.set_tracer_provider(TracerProvider())


async def test_the_committed_contract_is_the_served_one(bff_url: str) -> None:
    async with httpx.AsyncClient(base_url=bff_url, trust_env=False, verify=trust()) as http:
        document = (await http.get("/openapi.json")).json()

    assert without_staff(document) == CONTRACT


def test_every_operation_is_named_tagged_and_says_its_problems() -> None:
    operations = [operation for path in CONTRACT["paths"].values() for operation in path.values()]

    assert len({operation["operationId"] for operation in operations}) == len(operations) == 15
    for operation in operations:
        assert operation["tags"]
        assert operation["description"]
        assert {"400", "500", "503"} <= set(operation["responses"])
        assert "422" not in operation["responses"]
        problems = [answer for status, answer in operation["responses"].items() if status >= "400"]
        assert all(set(answer["content"]) == {"application/problem+json"} for answer in problems)


def test_the_contract_says_when_feedback_needs_a_reason() -> None:
    schema = CONTRACT["components"]["schemas"]["Feedback"]

    assert schema["if"]["properties"]["rating"] == {"const": "NOT_HELPFUL"}
    assert schema["then"]["required"] == ["reasonCode"]
    assert set(schema["properties"]) == {"rating", "reasonCode", "comment"}


def test_the_contract_knows_every_event_and_no_usage() -> None:
    document = CONTRACT
    asked = document["paths"]["/v1/conversations/{conversation_id}/attempts"]["post"]["responses"]["200"]["content"]

    union = document["components"]["schemas"]["AttemptEvent"]
    assert asked["text/event-stream"]["schema"] == {"$ref": "#/components/schemas/AttemptEvent"}
    assert set(union["discriminator"]["mapping"]) == {
        "session",
        "metadata",
        "delta",
        "heartbeat",
        "citation",
        "completed",
        "error",
    }
    assert "UsageEvent" not in document["components"]["schemas"]


async def test_it_is_ready_without_valkey_and_says_so(settings: BffSettings, tmp_path: Path) -> None:
    alone = settings.model_copy(update={"redis_url": f"unix://{tmp_path}/nothing.sock"})

    async with (
        served(create_app(alone)) as url,
        httpx.AsyncClient(base_url=url, trust_env=False, verify=trust()) as http,
    ):
        ready = await http.get("/health/ready")

    assert (ready.status_code, ready.json()) == (200, {"database": "ok"})


async def test_the_page_is_served_beside_the_api(settings: BffSettings, tmp_path: Path, tenant: str) -> None:
    (tmp_path / "index.html").write_text("<title>有据</title>", encoding="utf-8")
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "chat.js").write_text("1", encoding="utf-8")
    with_page = settings.model_copy(update={"page_directory": tmp_path})

    async with served(create_app(with_page)) as url, open_customer(url, tenant) as customer:
        page, script = await customer.http.get("/"), await customer.http.get("/assets/chat.js")
        missing, above = await customer.http.get("/v1/nothing"), await customer.http.get("/..%2f..%2fetc/passwd")
        attempt = await customer.ask("answer")

    assert ("有据" in page.text, script.text, attempt.status) == (True, "1", "COMPLETED")
    assert [(answer.status_code, answer.json()["code"]) for answer in (missing, above)] == [(404, "NOT_FOUND")] * 2


async def test_the_clock_sends_what_the_outbox_holds(customer: Customer, clients: Clients, sweeper: Database) -> None:
    escalation = await customer.escalate(await customer.ask("answer"))
    relay = next(duty for duty in duties(clients, sweeper=sweeper) if duty.name == "relay")

    sent: list[str | bytes] = []
    async with asyncio.timeout(60):
        while await states_of(clients, customer.tenant) != ["SENT", "SENT"]:
            await relay.run()
            sent += await taken(clients)

    messages = [json.loads(raw) for raw in sent]
    tasks = [message["headers"]["task"] for message in messages if escalation.escalation_id in json.dumps(message)]
    assert tasks.count(CREATE_TICKET) == 1


async def states_of(clients: Clients, tenant: str) -> list[str]:
    async with clients.database.transaction(tenant) as connection:
        return list((await connection.execute(text("SELECT state FROM outbox"))).scalars())


async def taken(clients: Clients) -> list[str | bytes]:
    """Take what waits in the queues, as workers would: the clock sends no more than they take."""
    found: list[str | bytes] = []
    for queue in (TICKETING_QUEUE, URGENT_TICKETING_QUEUE, KNOWLEDGE_QUEUE):
        found += await clients.valkey.lrange(queue, 0, -1)
        await clients.valkey.delete(queue)
    return found


async def test_the_clock_looks_after_messages_and_leases(clients: Clients, sweeper: Database) -> None:
    found = {duty.name: duty.every_seconds for duty in duties(clients, sweeper=sweeper)}

    assert found == {
        "relay": 1.0,
        "reap": 5.0,
        "reconcile": 10.0,
        "retain": 60.0,
        "drop_repeats": 60.0,
        "lineages": 60.0,
    }


def test_the_queue_hears_what_ticketing_says(settings: BffSettings, worker_database: SyncDatabase) -> None:
    app = create_worker(settings, worker_database)

    assert app.tasks[TICKET_CHANGED].name == TICKET_CHANGED
    assert app.tasks[ACKNOWLEDGED].name == ACKNOWLEDGED
    assert app.conf.task_default_queue == "bff"


async def test_news_of_a_ticket_are_taken_over_and_acknowledged(
    customer: Customer, clients: Clients, settings: BffSettings, worker_database: SyncDatabase
) -> None:
    attempt = await customer.ask("answer")
    escalation = await customer.escalate(attempt)
    change = TicketChanged(
        tenant=customer.tenant,
        ticket_key="made up",
        escalation_id=escalation.escalation_id,
        attempt_id=attempt.attempt_id,
        ticket_number="T-7",
        status="TICKET_CREATED",
        sequence=1,
        changed_at=escalation.created_at,
    )
    envelope = Envelope(
        id=str(uuid7()),
        source=f"answers-{customer.tenant}",
        type=TICKET_CHANGED,
        subject=escalation.escalation_id,
        time=escalation.created_at,
        tenant=customer.tenant,
        attemptid=attempt.attempt_id,
        data=change.model_dump(mode="json"),
    )
    app = create_worker(settings, worker_database)

    app.tasks[TICKET_CHANGED](envelope.model_dump(mode="json"))

    answers = [json.loads(raw) for raw in await clients.valkey.lrange(f"answers-{customer.tenant}", 0, -1) or []]
    shown = await customer.http.get(f"/v1/conversations/{attempt.conversation_id}")
    assert shown.json()["escalation"]["ticketNumber"] == "T-7"
    assert [answer["headers"]["task"] for answer in answers] == [ACKNOWLEDGED]


async def test_one_trace_runs_from_the_request_to_knowledge_and_into_the_outbox(
    traced: None, settings: BffSettings, tenant: str, knowledge: FakeKnowledge, clients: Clients
) -> None:
    del traced
    async with served(create_app(settings)) as url, open_customer(url, tenant) as customer:
        attempt = await customer.ask("complaint")

    headers = knowledge.headers[attempt.attempt_id]
    async with clients.database.transaction(tenant) as connection:
        told = text("SELECT traceparent, data FROM outbox WHERE type = :type")
        row = (await connection.execute(told, {"type": CREATE_TICKET})).one()
    assert attempt.trace_id != "0" * 32
    assert attempt.trace_id in headers["traceparent"]
    assert attempt.trace_id in row.traceparent
    assert CreateTicket.model_validate(row.data).trace_id == attempt.trace_id


async def test_outcomes_are_counted_by_reason_and_channel(customer: Customer) -> None:
    await customer.ask("answer")
    await customer.ask("refusal")
    await customer.post_ask("broken", conversation=await customer.open_conversation())

    metrics = (await customer.http.get("/metrics")).text

    for line in (
        'youju_attempts_total{channel="web",outcome="answered",reason="none"}',
        'youju_attempts_total{channel="web",outcome="refused",reason="NO_AUTHORIZED_EVIDENCE"}',
        'youju_attempts_total{channel="web",outcome="failed",reason="KNOWLEDGE_ERROR"}',
        'youju_attempt_opens_total{channel="web",kind="ask"}',
    ):
        assert line in metrics
