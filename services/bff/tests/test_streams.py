import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from httpx_sse import ServerSentEvent

from bff.adapters.clients import Clients
from bff.adapters.event_log import key_of
from bff.main import create_app
from bff.settings import BffSettings
from bff.stream.numbered import NumberedEvent
from contracts.customer import Attempt
from contracts.ids import parsed, uuid7
from contracts.stream import DeltaEvent, grammar_fault
from runtime.http import trust
from services.bff.tests.client import Customer, logged, names, open_customer, path_of
from services.bff.tests.fake_knowledge import FakeKnowledge
from services.bff.tests.serving import served

pytestmark = pytest.mark.store


@asynccontextmanager
async def held_attempt(customer: Customer) -> AsyncGenerator[tuple[Attempt, AsyncIterator[ServerSentEvent]]]:
    """Ask a question whose answer is held back after its first part, and give the attempt and the open stream."""
    conversation = await customer.open_conversation()
    path = f"/v1/conversations/{conversation}/attempts"
    async with asyncio.timeout(60), customer.stream("POST", path, question="held") as events:
        session = json.loads((await anext(events)).data)
        answer = await customer.http.get(f"{path}/{session['attemptId']}")
        yield Attempt.model_validate_json(answer.content), events


async def rest(events: AsyncIterator[ServerSentEvent]) -> list[ServerSentEvent]:
    return [event async for event in events]


async def until(events: AsyncIterator[ServerSentEvent], name: str) -> ServerSentEvent:
    async for event in events:
        if event.event == name:
            return event
    raise AssertionError(f"no {name} came")


async def test_session_and_metadata_come_before_knowledge_answers(customer: Customer, knowledge: FakeKnowledge) -> None:
    path = f"/v1/conversations/{await customer.open_conversation()}/attempts"

    async with asyncio.timeout(60), customer.stream("POST", path, question="silent") as events:
        heard = [await anext(events), await anext(events)]
        knowledge.gate(json.loads(heard[0].data)["attemptId"]).set()
        await rest(events)

    assert names(heard) == ["session", "metadata"]


async def test_parts_come_while_the_rest_is_not_there(customer: Customer, knowledge: FakeKnowledge) -> None:
    async with held_attempt(customer) as (attempt, events):
        delta = await until(events, "delta")
        knowledge.gate(attempt.attempt_id).set()
        await rest(events)

    assert json.loads(delta.data)["newCitations"][0]["detailUrl"].startswith("/v1/conversations/cnv_")


async def test_heartbeats_have_no_id_and_are_not_kept(customer: Customer, knowledge: FakeKnowledge) -> None:
    async with held_attempt(customer) as (attempt, events):
        heartbeat = await until(events, "heartbeat")
        knowledge.gate(attempt.attempt_id).set()
        await rest(events)
    again = await customer.reattach(attempt)

    # A parser carries the last id on; the frame itself has none, and none is counted.
    assert heartbeat.data == "{}"
    assert "heartbeat" not in [event.event for event in again]
    assert [event.id for event in again] == [str(n) for n in range(1, 8)]


async def test_many_readers_hear_the_same(customer: Customer, knowledge: FakeKnowledge) -> None:
    async with held_attempt(customer) as (attempt, events):
        readers = [asyncio.create_task(customer.reattach(attempt, last=last)) for last in ("0", "1", "2", "2")]
        await until(events, "delta")
        knowledge.gate(attempt.attempt_id).set()
        await rest(events)
        heard = [logged(await reader) for reader in readers]
    whole = logged(await customer.reattach(attempt))

    assert heard == [whole, whole[1:], whole[2:], whole[2:]]


async def test_every_place_of_a_stream_can_be_resumed_from(customer: Customer) -> None:
    attempt = await customer.ask("answer")
    whole = logged(await customer.reattach(attempt))

    resumed = [logged(await customer.reattach(attempt, last=str(n))) for n in range(len(whole))]

    assert resumed == [whole[n:] for n in range(len(whole))]


@pytest.mark.parametrize("last", ["7", "8", "99999"])
async def test_past_the_end_there_is_nothing_more(customer: Customer, last: str) -> None:
    attempt = await customer.ask("answer")

    answer = await customer.http.get(f"{path_of(attempt)}/events", headers={"Last-Event-ID": last})

    assert (answer.status_code, answer.content) == (204, b"")


@pytest.mark.parametrize("last", ["-1", "x", "1.5", "١", "9" * 30])
async def test_a_place_that_is_no_number_is_refused(customer: Customer, last: str) -> None:
    attempt = await customer.ask("answer")

    answer = await customer.http.get(f"{path_of(attempt)}/events", headers=[(b"last-event-id", last.encode())])

    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")


async def test_the_attempt_finishes_when_nobody_listens_any_more(customer: Customer, knowledge: FakeKnowledge) -> None:
    async with held_attempt(customer) as (attempt, events):
        await until(events, "delta")
    knowledge.gate(attempt.attempt_id).set()

    heard = await customer.reattach(attempt)

    assert names(heard)[-1] == "completed"


async def test_after_the_log_is_gone_the_row_gives_equal_events(customer: Customer, clients: Clients) -> None:
    conversation = await customer.open_conversation()
    heard = await customer.listen("answer", conversation=conversation)
    (attempt,) = await customer.attempts(conversation)
    await clients.valkey.delete(key_of(parsed("att", attempt.attempt_id)))

    assert logged(await customer.reattach(attempt)) == logged(heard)


async def test_a_log_that_vanishes_midway_costs_no_event(
    customer: Customer, knowledge: FakeKnowledge, clients: Clients
) -> None:
    async with held_attempt(customer) as (attempt, events):
        heard = [await anext(events)]
        heard.append(await until(events, "delta"))
        late = asyncio.create_task(customer.reattach(attempt))
        await clients.valkey.delete(key_of(parsed("att", attempt.attempt_id)))
        knowledge.gate(attempt.attempt_id).set()
        following = await rest(events)
        whole = logged(await customer.reattach(attempt))

    assert logged(following) == whole[3:]
    assert logged(await late) == whole


async def test_a_reader_hears_how_an_attempt_opens_before_any_heartbeat(
    customer: Customer, knowledge: FakeKnowledge, clients: Clients
) -> None:
    async with held_attempt(customer) as (attempt, events):
        await until(events, "delta")
        await clients.valkey.delete(key_of(parsed("att", attempt.attempt_id)))
        async with customer.stream("GET", f"{path_of(attempt)}/events") as later:
            opening = [await anext(later), await anext(later), await until(later, "heartbeat")]
            knowledge.gate(attempt.attempt_id).set()
            heard = [*opening, *await rest(later)]
        await rest(events)

    assert grammar_fault([event.event for event in heard], closed=True) is None


async def test_an_erased_log_takes_nothing_more_from_a_runner_elsewhere(clients: Clients) -> None:
    attempt_id = uuid7()
    said = DeltaEvent(kind="statement", text="said", citations=(), new_citations=())
    await clients.event_log.append_all({attempt_id: [NumberedEvent(1, said)]})

    await clients.event_log.forget([attempt_id])

    assert await clients.event_log.append_all({attempt_id: [NumberedEvent(2, said), NumberedEvent(3, said)]}) == (0,)
    assert await clients.event_log.freeze(attempt_id) == ()


async def test_a_frozen_log_takes_neither_the_next_event_of_its_runner_nor_any_after_it(clients: Clients) -> None:
    attempt_id = uuid7()
    events = [
        NumberedEvent(n, DeltaEvent(kind="statement", text=str(n), citations=(), new_citations=())) for n in range(5)
    ]

    added = await clients.event_log.append_all({attempt_id: events[1:3]})
    frozen = await clients.event_log.freeze(attempt_id)
    refused = await clients.event_log.append_all({attempt_id: events[3:], uuid7(): events[1:2]})

    assert added == (2,)
    assert frozen == tuple(event.event for event in events[1:3])
    assert refused == (0, 1)


async def test_an_entry_that_nobody_can_read_disturbs_no_stream(
    customer: Customer, knowledge: FakeKnowledge, clients: Clients
) -> None:
    async with held_attempt(customer) as (attempt, events):
        await until(events, "delta")
        key = key_of(parsed("att", attempt.attempt_id))
        await clients.valkey.xadd(key, {"event": '{"event": "of another release"}'}, id="4-0")
        await until(events, "heartbeat")
        knowledge.gate(attempt.attempt_id).set()
        following = await rest(events)
    async with held_attempt(customer) as (attempt, events):
        await until(events, "delta")
        heard_while = (await customer.read(attempt)).status
        knowledge.gate(attempt.attempt_id).set()
        await rest(events)

    assert names(following)[-1] == "completed"
    assert heard_while == "PENDING"


async def test_readers_get_the_end_when_only_the_row_has_it(
    customer: Customer, knowledge: FakeKnowledge, clients: Clients
) -> None:
    # A frozen log stands for a process that died between storing the result and logging the closing events.
    async with held_attempt(customer) as (attempt, events):
        await knowledge.reached(attempt.attempt_id).wait()
        await until(events, "delta")
        await clients.event_log.freeze(parsed("att", attempt.attempt_id))
        knowledge.gate(attempt.attempt_id).set()
        following = await rest(events)

    assert names(following) == ["delta", "citation", "citation", "completed"]
    assert logged(following) == logged(await customer.reattach(attempt))[3:]


async def test_a_cancelled_attempt_ends_for_every_reader(customer: Customer, knowledge: FakeKnowledge) -> None:
    async with held_attempt(customer) as (attempt, events):
        await until(events, "delta")
        reader = asyncio.create_task(customer.reattach(attempt))
        cancelled = await customer.http.post(f"{path_of(attempt)}/cancel")
        following = await rest(events)
        knowledge.gate(attempt.attempt_id).set()
        whole = await reader

    again = await customer.reattach(attempt)
    assert (cancelled.status_code, cancelled.json()["failureCode"]) == (200, "CANCELLED")
    assert (names(following), json.loads(following[-1].data)["retryable"]) == (["error"], False)
    assert grammar_fault(names(whole), closed=True) is None
    assert logged(whole) == logged(again)
    assert (await customer.read(attempt)).answer is None


async def test_a_cancel_at_another_process_ends_the_attempt_for_the_readers_of_both(
    customer: Customer, knowledge: FakeKnowledge, settings: BffSettings
) -> None:
    async with (
        served(create_app(settings)) as url,
        httpx.AsyncClient(
            base_url=url, headers=customer.http.headers, timeout=60, trust_env=False, verify=trust()
        ) as http,
        held_attempt(customer) as (attempt, events),
    ):
        elsewhere = Customer(http, customer.tenant)
        await until(events, "delta")
        reader = asyncio.create_task(elsewhere.reattach(attempt))
        cancelled = await http.post(f"{path_of(attempt)}/cancel")
        following = await rest(events)
        whole = await reader
        knowledge.gate(attempt.attempt_id).set()

    assert cancelled.json()["failureCode"] == "CANCELLED"
    assert names(following) == ["error"]
    assert names(whole) == ["session", "metadata", "delta", "error"]
    assert (await customer.read(attempt)).status == "FAILED"


async def test_cancelling_twice_and_after_the_end_changes_nothing(customer: Customer) -> None:
    attempt = await customer.ask("answer")

    answer = await customer.http.post(f"{path_of(attempt)}/cancel")

    assert Attempt.model_validate_json(answer.content) == attempt


async def test_a_waiting_ask_hears_of_the_cancel(customer: Customer, knowledge: FakeKnowledge) -> None:
    conversation = await customer.open_conversation()
    asking = asyncio.create_task(customer.post_ask("held", conversation=conversation))
    async with asyncio.timeout(60):
        while not (attempts := await customer.attempts(conversation)):
            pass
        await customer.http.post(f"{path_of(attempts[0])}/cancel")
        answer = await asking
    knowledge.gate(attempts[0].attempt_id).set()

    assert (answer.status_code, answer.json()["code"]) == (409, "CANCELLED")


async def test_a_silent_knowledge_is_a_202_and_then_a_timeout(settings: BffSettings, tenant: str) -> None:
    hasty = create_app(settings.model_copy(update={"attempt_seconds": 4, "wait_seconds": 0.1}))

    async with served(hasty) as url, open_customer(url, tenant) as customer:
        attempt = await customer.ask("silent")
        events = await customer.reattach(attempt)

    assert attempt.status == "PENDING"
    assert (events[-1].event, json.loads(events[-1].data)["code"]) == ("error", "KNOWLEDGE_TIMEOUT")


async def test_one_attempt_of_a_conversation_is_pending_at_a_time(customer: Customer, knowledge: FakeKnowledge) -> None:
    async with held_attempt(customer) as (attempt, events):
        second = await customer.post_ask("answer", conversation=attempt.conversation_id)
        retry = await customer.http.post(f"{path_of(attempt)}/retry")
        judged = await customer.http.put(f"{path_of(attempt)}/feedback", json={"rating": "HELPFUL"})
        escalated = await customer.post_escalation(attempt)
        knowledge.gate(attempt.attempt_id).set()
        await rest(events)

    assert [(answer.status_code, answer.json()["code"]) for answer in (second, retry)] == [(409, "ATTEMPT_PENDING")] * 2
    assert [(answer.status_code, answer.json()["code"]) for answer in (judged, escalated)] == [
        (409, "ATTEMPT_NOT_COMPLETED")
    ] * 2


async def test_a_customer_has_few_attempts_running(customer: Customer, knowledge: FakeKnowledge) -> None:
    conversations = [await customer.open_conversation() for _ in range(5)]
    asking = [asyncio.create_task(customer.post_ask("held", conversation=each)) for each in conversations[:4]]
    async with asyncio.timeout(60):
        while not all([await customer.attempts(each) for each in conversations[:4]]):
            pass
        fifth = await customer.post_ask("answer", conversation=conversations[4])
        for each in conversations[:4]:
            knowledge.gate((await customer.attempts(each))[0].attempt_id).set()
        answers = await asyncio.gather(*asking)

    assert (fifth.status_code, fifth.json()["code"], fifth.headers["retry-after"]) == (429, "RATE_LIMITED", "1")
    assert {answer.status_code for answer in answers} == {200}
    assert await customer.attempts(conversations[4]) == []
