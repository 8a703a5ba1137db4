"""A process whose database has no connection to spare ends its attempts all the same: none waits for the pulse."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from sqlalchemy import text
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bff.adapters.clients import Clients
from bff.api.application import Application, build
from bff.settings import BffSettings
from contracts.ids import uuid7
from services.bff.tests.client import Customer, insist, open_customer
from services.bff.tests.serving import served

pytestmark = pytest.mark.store

CUSTOMERS = 4


@asynccontextmanager
async def tiny_pool(application: Application, url: str) -> AsyncGenerator[AsyncEngine]:
    """Leave a process one connection, for which nobody waits long."""
    clients = application.edge.clients
    tiny = create_async_engine(url, pool_size=1, max_overflow=0, pool_timeout=0.01)
    kept, clients.database.engine = clients.database.engine, tiny
    yield tiny
    clients.database.engine = kept
    await tiny.dispose()


async def hold(engine: AsyncEngine, seed: int, stop: asyncio.Event) -> None:
    """Take the connection again and again, each time for as long as the seed says."""
    source = random.Random(seed)  # noqa: S311 - to repeat a run, not to hide one
    while not stop.is_set():
        try:
            async with engine.connect() as connection:
                await connection.execute(text("SELECT pg_sleep(:seconds)"), {"seconds": source.uniform(0, 0.02)})
        except PoolTimeoutError:
            continue


async def ask(customer: Customer) -> None:
    conversation = (await insist(lambda: customer.http.post("/v1/conversations"))).json()["conversationId"]
    key = uuid7().hex
    await insist(lambda: customer.post_ask("answer", conversation=conversation, key=key))


async def statuses(clients: Clients, tenant: str) -> Counter[str]:
    async with clients.database.transaction(tenant) as connection:
        return Counter((await connection.execute(text("SELECT status FROM attempt"))).scalars())


@pytest.mark.parametrize("seed", range(2))
async def test_every_attempt_ends_by_the_process_that_runs_it(
    settings: BffSettings, tenant: str, clients: Clients, seed: int
) -> None:
    application, stop = Application(settings), asyncio.Event()
    async with served(build(application, page_directory=None)) as url, AsyncExitStack() as stack:
        customers = [await stack.enter_async_context(open_customer(url, tenant)) for _ in range(CUSTOMERS)]
        async with tiny_pool(application, settings.database_url) as engine:
            holding = asyncio.create_task(hold(engine, seed, stop))
            await asyncio.gather(*map(ask, customers))
            stop.set()
            await holding
            await application.drain()

    assert await statuses(clients, tenant) == {"COMPLETED": CUSTOMERS}
