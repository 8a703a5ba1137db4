import asyncio
import json
from collections.abc import AsyncIterator
from uuid import UUID

import pytest
import redis
from celery import Celery
from sqlalchemy import select, text, update

from contracts.errors import TryAgainError
from contracts.ids import uuid7
from libs.runtime.tests.conftest import OUTBOX
from runtime.database import Database, SyncDatabase
from runtime.outbox import Message, Relay, acknowledge_row, write
from runtime.queue import make_celery

pytestmark = pytest.mark.store


@pytest.fixture
def queue() -> str:
    return f"queue-{uuid7().hex}"


@pytest.fixture
async def relay(app: Database, sweeper: Database, redis_url: str) -> AsyncIterator[Relay]:
    celery = make_celery("ticketing", redis_url=redis_url)
    yield make_relay(app, sweeper, celery)
    celery.close()


def make_relay(app: Database, sweeper: Database, celery: Celery) -> Relay:
    return Relay(table=OUTBOX, app=app, sweeper=sweeper, celery=celery, source="ticketing")


async def written(app: Database, tenant: str, queue: str) -> UUID:
    message = Message(
        message_id=uuid7(),
        tenant=tenant,
        type="youju.demo.v1",
        queue=queue,
        subject="esc_1",
        attempt_id="att_1",
        data={"words": "你好"},
    )
    async with app.transaction(tenant) as connection:
        await write(connection, OUTBOX, message)
    return message.message_id


async def state(app: Database, tenant: str, message_id: UUID) -> tuple[str, int]:
    async with app.transaction(tenant) as connection:
        row = (await connection.execute(select(OUTBOX).where(OUTBOX.c.id == message_id))).one()
        return row.state, row.sends


async def make_due(app: Database, tenant: str) -> None:
    async with app.transaction(tenant) as connection:
        await connection.execute(update(OUTBOX).values(next_send_at=text("clock_timestamp()")))


def arrived(redis_url: str, queue: str) -> list[dict[str, object]]:
    with redis.Redis.from_url(redis_url) as client:
        return [json.loads(raw) for raw in client.lrange(queue, 0, -1)]


async def test_a_written_message_is_sent_once(
    app: Database, relay: Relay, tenant: str, queue: str, redis_url: str
) -> None:
    message_id = await written(app, tenant, queue)

    await relay.run()
    await relay.run()

    assert await state(app, tenant, message_id) == ("SENT", 1)
    assert len(arrived(redis_url, queue)) == 1


async def test_an_unacknowledged_message_is_sent_again(
    app: Database, relay: Relay, tenant: str, queue: str, redis_url: str
) -> None:
    message_id = await written(app, tenant, queue)
    await relay.run()

    await make_due(app, tenant)
    await relay.run()

    assert await state(app, tenant, message_id) == ("SENT", 2)
    assert len(arrived(redis_url, queue)) == 2


async def test_an_acknowledged_message_rests(
    app: Database, sync_app: SyncDatabase, relay: Relay, tenant: str, queue: str
) -> None:
    message_id = await written(app, tenant, queue)
    await relay.run()

    for _ in range(2):
        with sync_app.transaction(tenant) as connection:
            acknowledge_row(connection, OUTBOX, message_id)
    await make_due(app, tenant)
    await relay.run()

    assert await state(app, tenant, message_id) == ("ACKNOWLEDGED", 1)


async def test_ten_relays_send_each_message_once(
    app: Database, sweeper: Database, relay: Relay, tenant: str, queue: str, redis_url: str
) -> None:
    del sweeper
    for _ in range(20):
        await written(app, tenant, queue)

    await asyncio.gather(*(relay.run() for _ in range(10)))

    assert len(arrived(redis_url, queue)) == 20


async def test_a_rolled_back_change_sends_nothing(
    app: Database, relay: Relay, tenant: str, queue: str, redis_url: str
) -> None:
    message = Message(
        message_id=uuid7(), tenant=tenant, type="youju.demo.v1", queue=queue, subject="s", attempt_id="a", data={}
    )
    with pytest.raises(RuntimeError, match="no"):
        async with app.transaction(tenant) as connection:
            await write(connection, OUTBOX, message)
            raise RuntimeError("no")

    await relay.run()

    assert arrived(redis_url, queue) == []


async def test_a_message_waits_while_the_broker_is_down(
    app: Database, sweeper: Database, relay: Relay, tenant: str, queue: str, redis_url: str
) -> None:
    message_id = await written(app, tenant, queue)
    down = make_celery("ticketing", redis_url="unix:///nowhere/valkey.sock")

    with pytest.raises(TryAgainError):
        await make_relay(app, sweeper, down).run()
    await make_due(app, tenant)
    await relay.run()

    assert (await state(app, tenant, message_id))[0] == "SENT"
    assert len(arrived(redis_url, queue)) == 1
    down.close()
