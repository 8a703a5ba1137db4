"""Processes are restarted one after the other under load, and no request fails."""

import asyncio
import json
import signal
from asyncio.subprocess import Process
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import httpx
import pytest
from httpx_sse import ServerSentEvent

from bff.settings import BffSettings
from contracts.customer import Attempt
from contracts.ids import uuid7
from contracts.stream import grammar_fault
from runtime.http import trust
from services.bff.tests.balancing import Balancer
from services.bff.tests.client import Customer, names, open_customer, path_of
from services.bff.tests.fake_knowledge import FakeKnowledge
from services.bff.tests.serving import served
from services.bff.tests.test_starting import environment, free_port, started, until_ready

pytestmark = [pytest.mark.store, pytest.mark.timeout(300)]

CUSTOMERS = 6
STOPPED_SECONDS = 60
Stream = AsyncIterator[ServerSentEvent]
ENDS = ("completed", "error")


class Replica:
    """A process of bff at one address, started again and again."""

    def __init__(self, settings: BffSettings) -> None:
        port = str(free_port())
        limits = ("ASKS_PER_MINUTE", "ASKS_PER_MINUTE_AND_ADDRESS", "CALLS_PER_MINUTE", "SESSIONS_PER_MINUTE")
        many = {f"YOUJU_BFF_{name}": "100000" for name in limits}
        self.url = f"http://127.0.0.1:{port}"
        self.environment = environment(
            settings, YOUJU_BFF_PORT=port, YOUJU_BFF_STOP_SECONDS="20", YOUJU_LOG_LEVEL="error", **many
        )

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Process]:
        async with started("bff.main", self.environment) as process:
            await until_ready(self.url, process)
            yield process


@asynccontextmanager
async def balanced(*replicas: Replica) -> AsyncGenerator[str]:
    async with (
        httpx.AsyncClient(timeout=60, trust_env=False, verify=trust()) as http,
        served(Balancer(http, tuple(each.url for each in replicas))) as url,
    ):
        yield url


async def followed(customer: Customer, path: str, first: Stream) -> list[ServerSentEvent]:
    """Hear an attempt to its end as a page does: when a stream ends early, attach again behind the last event."""
    heard = [event async for event in first]
    while heard[-1].event not in ENDS:
        assert heard[-1].retry is not None
        async with customer.stream("GET", f"{path}/events", last=heard[-1].id) as more:
            heard += [event async for event in more]
    return heard


async def ask_until(stop: asyncio.Event, customer: Customer, results: Counter[str]) -> None:
    conversation = await customer.open_conversation()
    path = f"/v1/conversations/{conversation}/attempts"
    while not stop.is_set():
        async with customer.stream("POST", path, question="answer", key=uuid7().hex) as events:
            session = await anext(events)
            place = f"{path}/{json.loads(session.data)['attemptId']}"
            heard = [session, *await followed(customer, place, events)]
        assert grammar_fault([event.event for event in heard], closed=True) is None
        results[heard[-1].event] += 1
        results[(await customer.http.get(place)).raise_for_status().json()["status"]] += 1


async def held_at(replica: Replica, tenant: str, stack: AsyncExitStack) -> tuple[Customer, Attempt]:
    """Let a replica run an attempt that knowledge has begun and not finished."""
    customer = await stack.enter_async_context(open_customer(replica.url, tenant))
    conversation = await customer.open_conversation()
    asking = await stack.enter_async_context(
        customer.stream("POST", f"/v1/conversations/{conversation}/attempts", question="held")
    )
    attempt_id = json.loads((await anext(asking)).data)["attemptId"]
    answer = await customer.http.get(f"/v1/conversations/{conversation}/attempts/{attempt_id}")
    return customer, Attempt.model_validate_json(answer.content)


@asynccontextmanager
async def reader_of(customer: Customer, attempt: Attempt, url: str) -> AsyncGenerator[tuple[Customer, Stream]]:
    """Let the customer read along at another address."""
    async with httpx.AsyncClient(
        base_url=url, headers=customer.http.headers, timeout=60, trust_env=False, verify=trust()
    ) as http:
        elsewhere = Customer(http, customer.tenant)
        async with elsewhere.stream("GET", f"{path_of(attempt)}/events") as events:
            await anext(events)
            yield elsewhere, events


async def stopped(process: Process) -> None:
    process.send_signal(signal.SIGTERM)
    async with asyncio.timeout(STOPPED_SECONDS):
        await process.wait()


async def test_a_rolling_restart_under_load_fails_no_request(
    settings: BffSettings, tenant: str, knowledge: FakeKnowledge
) -> None:
    first, second = Replica(settings), Replica(settings)
    results, stop = Counter[str](), asyncio.Event()
    async with AsyncExitStack() as stack:
        one = await stack.enter_async_context(first.running())
        async with second.running() as other:
            url = await stack.enter_async_context(balanced(first, second))
            customers = [await stack.enter_async_context(open_customer(url, tenant)) for _ in range(CUSTOMERS)]
            load = [asyncio.create_task(ask_until(stop, customer, results)) for customer in customers]
            holder, attempt = await held_at(first, tenant, stack)
            _, sent_away = await stack.enter_async_context(reader_of(holder, attempt, second.url))
            readers = [await stack.enter_async_context(reader_of(holder, attempt, url)) for _ in range(2)]
            through = [asyncio.create_task(followed(each, path_of(attempt), events)) for each, events in readers]
            await stopped(other)
            farewell = [event async for event in sent_away][-1]
        await stack.enter_async_context(second.running())
        stopping = asyncio.create_task(stopped(one))
        knowledge.gate(attempt.attempt_id).set()
        heard = [await task for task in through]
        await stopping
        stop.set()
        await asyncio.gather(*load)

    assert set(results) == {"completed", "COMPLETED"}
    assert results["completed"] == results["COMPLETED"] >= 2 * CUSTOMERS
    assert farewell.event == "heartbeat"
    assert farewell.retry is not None
    assert 500 <= farewell.retry < 1000
    assert {names(events)[-1] for events in heard} == {"completed"}
