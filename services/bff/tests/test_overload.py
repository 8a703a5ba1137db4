"""More than a process can take is refused at once, and whoever was let in does not notice."""

import asyncio
import time
from collections.abc import Awaitable
from contextlib import AsyncExitStack

import httpx
import pytest
from sqlalchemy import event

from bff.api.application import Application, build
from bff.main import create_app
from bff.settings import BffSettings
from services.bff.tests.client import Customer, open_customer
from services.bff.tests.fake_knowledge import FakeKnowledge
from services.bff.tests.serving import served

pytestmark = pytest.mark.store

ADMITTED, TURNED_AWAY = 8, 150


async def test_overload_is_refused_quickly_and_admitted_attempts_keep_their_latency(
    settings: BffSettings, tenant: str, knowledge: FakeKnowledge
) -> None:
    few = settings.model_copy(update={"running_attempts": ADMITTED})
    async with served(create_app(few)) as url, AsyncExitStack() as stack:
        customers = [await stack.enter_async_context(open_customer(url, tenant)) for _ in range(ADMITTED + 2)]
        conversations = [await customer.open_conversation() for customer in customers]
        asked = [
            asyncio.create_task(customer.post_ask("waiting", conversation=conversation))
            for customer, conversation in zip(customers[:ADMITTED], conversations, strict=False)
        ]
        waiting = await all_reached(customers[:ADMITTED], conversations, knowledge)
        storm = [
            asyncio.create_task(timed(customers[-1].post_ask("answer", conversation=conversations[-1])))
            for _ in range(TURNED_AWAY)
        ]
        for attempt_id in waiting:
            knowledge.gate(attempt_id).set()
        released = time.perf_counter()
        answers = await asyncio.gather(*asked)
        admitted = time.perf_counter() - released
        stormed = await asyncio.gather(*storm)
        after = await customers[-2].post_ask("answer", conversation=conversations[-2])

    assert [answer.status_code for answer in answers] == [200] * ADMITTED
    refused = [answer for answer, _ in stormed if answer.status_code == 503]
    assert {(answer.json()["code"], "retry-after" in answer.headers) for answer in refused} <= {("UNAVAILABLE", True)}
    # Customers and the process share this machine's cores: whoever was let in waits no longer than the storm blows.
    assert admitted < 1 + max(seconds for _, seconds in stormed)
    assert after.status_code == 200


async def test_a_full_process_says_so_before_it_asks_its_database(
    settings: BffSettings, tenant: str, knowledge: FakeKnowledge
) -> None:
    application = Application(settings.model_copy(update={"running_attempts": 1}))
    statements: list[str] = []
    app = build(application, page_directory=None)
    async with served(app) as url, open_customer(url, tenant) as first, open_customer(url, tenant) as other:
        mine, theirs = await first.open_conversation(), await other.open_conversation()
        asking = asyncio.create_task(first.post_ask("waiting", conversation=mine))
        (attempt_id,) = await all_reached([first], [mine], knowledge)
        engine = application.edge.clients.database.engine.sync_engine
        event.listen(engine, "before_cursor_execute", lambda *each: statements.append(each[2]))
        refused = await asyncio.gather(*(other.post_ask("answer", conversation=theirs) for _ in range(50)))
        said = len(statements)
        knowledge.gate(attempt_id).set()
        await asking

    assert {answer.status_code for answer in refused} == {503}
    # The attempt that runs may renew its lease meanwhile.
    assert said < 10


async def test_one_customer_cannot_take_all_places(
    settings: BffSettings, tenant: str, knowledge: FakeKnowledge
) -> None:
    few = settings.model_copy(update={"running_attempts_per_customer": 2})
    async with served(create_app(few)) as url, open_customer(url, tenant) as customer:
        conversations = [await customer.open_conversation() for _ in range(3)]
        asked = [asyncio.create_task(customer.post_ask("waiting", conversation=each)) for each in conversations[:2]]
        waiting = await all_reached([customer, customer], conversations, knowledge)
        refused = await customer.post_ask("answer", conversation=conversations[2])
        for attempt_id in waiting:
            knowledge.gate(attempt_id).set()
        await asyncio.gather(*asked)

    assert (refused.status_code, refused.json()["code"]) == (429, "RATE_LIMITED")


async def timed(call: Awaitable[httpx.Response]) -> tuple[httpx.Response, float]:
    started = time.perf_counter()
    return await call, time.perf_counter() - started


async def all_reached(customers: list[Customer], conversations: list[str], knowledge: FakeKnowledge) -> list[str]:
    """Give the attempts of these conversations once knowledge works on each."""
    found: list[str] = []
    async with asyncio.timeout(60):
        for customer, conversation in zip(customers, conversations, strict=False):
            while not (pending := [a for a in await customer.attempts(conversation) if a.status == "PENDING"]):
                pass
            await knowledge.reached(pending[0].attempt_id).wait()
            found.append(pending[0].attempt_id)
    return found
