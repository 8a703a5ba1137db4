import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import pytest
from httpx_sse import ServerSentEvent
from sqlalchemy import text

from bff.adapters.clients import Clients
from bff.adapters.event_log import KEPT_SECONDS, key_of
from bff.adapters.reaping import Reaper
from bff.api.application import Application, build
from bff.main import create_app
from bff.settings import BffSettings
from contracts.answers import CitationView, LoggedAnswer, Outcome
from contracts.customer import Attempt
from contracts.ids import parsed, uuid7
from contracts.reasons import FailureCode
from contracts.stream import CitationEvent, CompletedEvent, grammar_fault
from runtime.database import Database
from services.bff.tests.client import STREAM, Customer, logged, names, open_customer, path_of
from services.bff.tests.fake_knowledge import QUOTES, VERSION, FakeKnowledge, answer_events
from services.bff.tests.serving import served

pytestmark = pytest.mark.store


@pytest.fixture
async def reaper(clients: Clients, settings: BffSettings) -> AsyncIterator[Reaper]:
    assert settings.sweeper_database_url is not None
    sweeper = Database(settings.sweeper_database_url, pool_size=1)
    yield Reaper(clients, sweeper=sweeper)
    await sweeper.close()


@pytest.fixture
def without_valkey(settings: BffSettings, tmp_path: Path) -> BffSettings:
    return settings.model_copy(update={"redis_url": f"unix://{tmp_path}/nothing.sock"})


async def orphan(customer: Customer, clients: Clients, knowledge: FakeKnowledge) -> Attempt:
    """Leave an attempt behind whose runner has lost its lease, as if its process had been killed after one part."""
    conversation = await customer.open_conversation()
    asking = asyncio.create_task(customer.post_ask("held", conversation=conversation))
    async with asyncio.timeout(60):
        while not (attempts := await customer.attempts(conversation)):
            pass
        (attempt,) = attempts
        await knowledge.reached(attempt.attempt_id).wait()
        while await clients.valkey.xlen(key_of(parsed("att", attempt.attempt_id))) < 3:
            pass
    asking.cancel()
    await expire(customer, clients, holder=uuid7())
    return attempt


async def expire(customer: Customer, clients: Clients, *, holder: UUID) -> None:
    async with clients.database.transaction(customer.tenant) as connection:
        await connection.execute(
            text("UPDATE attempt SET lease_holder = :holder, lease_until = now() - interval '1 second'"),
            {"holder": holder},
        )


def logged_answer(attempt: Attempt, **changes: object) -> LoggedAnswer:
    events = answer_events(attempt.attempt_id, attempt.conversation_id)
    completed = next(event for event in events if isinstance(event, CompletedEvent))
    citations = [event for event in events if isinstance(event, CitationEvent)]
    answer = LoggedAnswer(
        attempt_id=attempt.attempt_id,
        status="COMPLETED",
        outcome=Outcome.model_validate(completed.model_dump(exclude={"event"})),
        citations=tuple(CitationView.model_validate(each.model_dump(exclude={"event"})) for each in citations),
        failure_code=None,
        knowledge_version=VERSION,
    )
    return answer.model_copy(update=changes)


async def test_an_abandoned_attempt_fails_with_one_closing_event(
    customer: Customer, clients: Clients, knowledge: FakeKnowledge, reaper: Reaper
) -> None:
    attempt = await orphan(customer, clients, knowledge)
    reader = asyncio.create_task(customer.reattach(attempt))

    await reaper.run()
    knowledge.gate(attempt.attempt_id).set()

    heard, again = logged(await reader), await customer.reattach(attempt)
    found = await customer.read(attempt)
    assert (found.status, found.failure_code, found.answer) == ("FAILED", "ABANDONED", None)
    assert (names(again), heard) == (["session", "metadata", "delta", "error"], logged(again))


async def test_an_abandoned_attempt_is_completed_from_what_knowledge_logged(
    customer: Customer, clients: Clients, knowledge: FakeKnowledge, reaper: Reaper
) -> None:
    attempt = await orphan(customer, clients, knowledge)
    knowledge.logged[attempt.attempt_id] = logged_answer(attempt)
    reader = asyncio.create_task(customer.reattach(attempt))

    await reaper.run()

    heard, again = logged(await reader), await customer.reattach(attempt)
    found = await customer.read(attempt)
    expected = ["session", "metadata", "delta", "delta", "citation", "citation", "completed"]
    assert (found.status, found.answer, found.knowledge_version) == ("COMPLETED", "".join(QUOTES), VERSION)
    assert (names(again), heard) == (expected, logged(again))
    assert found.citations[0].detail_url.startswith("/v1/conversations/")


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"outcome": None, "failure_code": FailureCode.KNOWLEDGE_ERROR, "status": "FAILED"}, "KNOWLEDGE_ERROR"),
        ({"outcome": None, "status": "PENDING", "citations": ()}, "ABANDONED"),
        ({"citations": ()}, "ABANDONED"),
    ],
    ids=["failed", "unfinished", "contradictory"],
)
async def test_what_knowledge_logged_is_checked_like_a_stream(
    customer: Customer,
    clients: Clients,
    knowledge: FakeKnowledge,
    reaper: Reaper,
    changes: dict[str, object],
    code: str,
) -> None:
    attempt = await orphan(customer, clients, knowledge)
    knowledge.logged[attempt.attempt_id] = logged_answer(attempt, **changes)

    await reaper.run()

    assert (await customer.read(attempt)).failure_code == code


async def test_abandoned_attempts_end_in_time_also_while_knowledge_says_nothing(
    bff_url: str, tenant: str, clients: Clients, knowledge: FakeKnowledge, settings: BffSettings
) -> None:
    assert settings.sweeper_database_url is not None
    sweeper = Database(settings.sweeper_database_url, pool_size=1)
    async with open_customer(bff_url, tenant) as one, open_customer(bff_url, tenant) as other:
        left = [(each, await orphan(each, clients, knowledge)) for each in (one, other)]
        knowledge.silent.update(attempt.attempt_id for _, attempt in left)

        async with asyncio.timeout(settings.attempt_seconds / 2):
            await Reaper(clients, sweeper=sweeper, patience_seconds=0.5).run()

        assert [(await each.read(attempt)).failure_code for each, attempt in left] == ["ABANDONED", "ABANDONED"]
    await sweeper.close()


async def test_a_runner_that_lost_its_lease_writes_nothing(
    customer: Customer, clients: Clients, knowledge: FakeKnowledge, reaper: Reaper
) -> None:
    attempt = await orphan(customer, clients, knowledge)
    await reaper.run()
    before = await customer.reattach(attempt)

    knowledge.gate(attempt.attempt_id).set()
    await customer.ask("answer", conversation=attempt.conversation_id)

    assert logged(await customer.reattach(attempt)) == logged(before)
    assert (await customer.read(attempt)).status == "FAILED"


async def test_two_reapers_share_the_work(
    customer: Customer, clients: Clients, knowledge: FakeKnowledge, reaper: Reaper
) -> None:
    attempt = await orphan(customer, clients, knowledge)

    await asyncio.gather(*(reaper.run() for _ in range(5)))

    events = await clients.valkey.xrange(key_of(parsed("att", attempt.attempt_id)))
    assert len([entry for entry in events or [] if b'"error"' in (entry[1] or {}).get(b"event", b"")]) == 1  # type: ignore[operator]


async def test_a_running_attempt_is_not_reaped(customer: Customer, knowledge: FakeKnowledge, reaper: Reaper) -> None:
    conversation = await customer.open_conversation()
    asking = asyncio.create_task(customer.post_ask("held", conversation=conversation))
    async with asyncio.timeout(60):
        while not (attempts := await customer.attempts(conversation)):
            pass

    await reaper.run()

    knowledge.gate(attempts[0].attempt_id).set()
    assert (await asking).json()["status"] == "COMPLETED"


async def test_the_log_is_kept_for_an_hour(customer: Customer, clients: Clients) -> None:
    attempt = await customer.ask("answer")

    left = await clients.valkey.ttl(key_of(parsed("att", attempt.attempt_id)))

    assert KEPT_SECONDS - 60 < left <= KEPT_SECONDS


async def test_without_valkey_json_asks_and_escalations_are_answered(without_valkey: BffSettings, tenant: str) -> None:
    async with served(create_app(without_valkey)) as url, open_customer(url, tenant) as customer:
        attempt = await customer.ask("answer")
        judged = await customer.http.put(f"{path_of(attempt)}/feedback", json={"rating": "HELPFUL"})
        escalated = await customer.post_escalation(attempt)
        replayed = await customer.reattach(attempt)

    assert (attempt.status, judged.status_code, escalated.status_code) == ("COMPLETED", 200, 201)
    assert grammar_fault(names(replayed), closed=True) is None


async def test_without_valkey_a_stream_is_refused_before_anything_is_stored(
    without_valkey: BffSettings, tenant: str
) -> None:
    async with served(create_app(without_valkey)) as url, open_customer(url, tenant) as customer:
        conversation = await customer.open_conversation()
        answer = await customer.http.post(
            f"/v1/conversations/{conversation}/attempts",
            json={"question": "answer"},
            headers={"Accept": "text/event-stream"},
        )
        stored = await customer.attempts(conversation)

    assert (answer.status_code, answer.json()["code"], stored) == (503, "UNAVAILABLE", [])
    assert "retry-after" in answer.headers


async def test_without_valkey_a_waiting_repeat_hears_of_the_end(
    without_valkey: BffSettings, bff_url: str, tenant: str, knowledge: FakeKnowledge
) -> None:
    # The first process runs the attempt; the second can only look at the row.
    async with served(create_app(without_valkey)) as url, open_customer(bff_url, tenant) as customer:
        conversation, key = await customer.open_conversation(), uuid7().hex
        first = asyncio.create_task(customer.post_ask("held", conversation=conversation, key=key))
        async with asyncio.timeout(60):
            while not (attempts := await customer.attempts(conversation)):
                pass
        customer.http.base_url = url
        second = asyncio.create_task(customer.post_ask("held", conversation=conversation, key=key))
        knowledge.gate(attempts[0].attempt_id).set()

        answers = [await first, await second]

    assert answers[0].json() == answers[1].json()
    assert answers[1].headers["idempotent-replayed"] == "true"


async def test_a_stopping_process_ends_what_it_cannot_finish(
    settings: BffSettings, tenant: str, knowledge: FakeKnowledge
) -> None:
    application = Application(settings.model_copy(update={"stop_seconds": 0.2}))

    async with served(build(application, page_directory=None)) as url, open_customer(url, tenant) as customer:
        conversation = await customer.open_conversation()
        path = f"/v1/conversations/{conversation}/attempts"
        async with customer.stream("POST", path, question="held") as events:
            heard = [await anext(events)]
            attempt_id = json.loads(heard[0].data)["attemptId"]
            await application.drain()
            heard += [event async for event in events]
        refused = await customer.post_ask("answer", conversation=conversation)
        (attempt,) = await customer.attempts(conversation)
    knowledge.gate(attempt_id).set()

    assert (heard[-1].event, json.loads(heard[-1].data)["code"]) == ("error", "ABANDONED")
    assert (attempt.status, attempt.failure_code) == ("FAILED", "ABANDONED")
    assert refused.status_code == 503


async def test_a_stopping_process_lets_attempts_finish(
    settings: BffSettings, tenant: str, knowledge: FakeKnowledge
) -> None:
    application = Application(settings)

    async with served(build(application, page_directory=None)) as url, open_customer(url, tenant) as customer:
        conversation = await customer.open_conversation()
        asking = asyncio.create_task(customer.post_ask("held", conversation=conversation))
        async with asyncio.timeout(60):
            while not (attempts := await customer.attempts(conversation)):
                pass
        draining = asyncio.create_task(application.drain())
        knowledge.gate(attempts[0].attempt_id).set()
        await draining
        answer = await asking

    assert answer.json()["status"] == "COMPLETED"


async def test_a_stopping_process_waits_for_what_is_being_opened(settings: BffSettings) -> None:
    application = Application(settings)

    async with served(build(application, page_directory=None)):
        with application.edge.running.opening(may_be_repeat=False):
            draining = asyncio.create_task(application.drain())
            early, _ = await asyncio.wait({draining}, timeout=0.05)
        await draining

    assert early == set()


async def test_a_full_process_refuses_before_anything_is_stored(settings: BffSettings, tenant: str) -> None:
    full = settings.model_copy(update={"running_attempts": 0})

    async with served(create_app(full)) as url, open_customer(url, tenant) as customer:
        conversation = await customer.open_conversation()
        answer = await customer.post_ask("answer", conversation=conversation)
        stored = await customer.attempts(conversation)

    assert (answer.status_code, answer.json()["code"], stored) == (503, "UNAVAILABLE", [])


async def test_a_process_with_many_streams_refuses_one_more_before_anything_is_stored(
    settings: BffSettings, tenant: str, knowledge: FakeKnowledge
) -> None:
    app = create_app(settings.model_copy(update={"open_streams": 1}))
    async with served(app) as url, open_customer(url, tenant) as customer:
        conversation, other = await customer.open_conversation(), await customer.open_conversation()
        path = "/v1/conversations/{}/attempts".format
        async with customer.stream("POST", path(conversation), question="held") as events:
            await until_heartbeat(events)
            (attempt,) = await customer.attempts(conversation)
            again = await customer.http.get(f"{path_of(attempt)}/events")
            more = await customer.http.post(path(other), json={"question": "answer"}, headers=STREAM)
            knowledge.gate(attempt.attempt_id).set()
            whole = [event async for event in events]
        stored = await customer.attempts(other)

    assert [(answer.status_code, answer.json()["code"]) for answer in (again, more)] == [(503, "UNAVAILABLE")] * 2
    assert (whole[-1].event, stored) == ("completed", [])


async def until_heartbeat(events: AsyncIterator[ServerSentEvent]) -> None:
    async for event in events:
        if event.event == "heartbeat":
            return


async def test_without_a_database_there_is_a_problem_without_internals(settings: BffSettings, tenant: str) -> None:
    application = Application(settings)

    async with served(build(application, page_directory=None)) as url, open_customer(url, tenant) as customer:
        lost = Database("postgresql+psycopg://bff_app:x@127.0.0.1:1/nothing", pool_size=1)
        clients = application.edge.clients
        kept, clients.database.engine = clients.database.engine, lost.engine
        answer = await customer.http.post("/v1/conversations")
        ready = await customer.http.get("/health/ready")
        clients.database.engine = kept
        await lost.close()

    assert (answer.status_code, answer.json()["code"], ready.status_code) == (503, "UNAVAILABLE", 503)
    assert "127.0.0.1" not in answer.text
