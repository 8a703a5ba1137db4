import asyncio
import json
from base64 import b64decode
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest
import redis
from celery import Celery
from sqlalchemy import select, text, update

from contracts.errors import TryAgainError
from contracts.ids import uuid7
from contracts.messages import BATCHES, TICKET_CHANGED
from libs.runtime.tests.conftest import OUTBOX
from runtime.database import Database, SyncDatabase
from runtime.outbox import Message, Relay, acknowledge_row, acknowledge_rows, write
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


async def written(app: Database, tenant: str, queue: str, *, type_: str = "youju.demo.v1") -> UUID:
    message = Message(
        message_id=uuid7(),
        tenant=tenant,
        type=type_,
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


def arrived(redis_url: str, queue: str) -> list[dict[str, Any]]:  # Celery's own form
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


async def test_messages_that_may_travel_together_are_one_task(
    app: Database, relay: Relay, tenant: str, queue: str, redis_url: str
) -> None:
    message_ids = [await written(app, tenant, queue, type_=TICKET_CHANGED) for _ in range(3)]
    await written(app, tenant, queue)

    await relay.run()

    together, alone = sorted(arrived(redis_url, queue), key=lambda task: task["headers"]["task"] == "youju.demo.v1")
    assert (together["headers"]["task"], alone["headers"]["task"]) == (BATCHES[TICKET_CHANGED], "youju.demo.v1")
    bodies = json.loads(b64decode(together["body"]))[0][0]
    assert [body["id"] for body in bodies] == [str(message_id) for message_id in message_ids]
    assert [await state(app, tenant, message_id) for message_id in message_ids] == [("SENT", 1)] * 3


async def test_a_full_queue_is_sent_nothing_and_no_repeat(
    app: Database, relay: Relay, tenant: str, queue: str, redis_url: str
) -> None:
    message_id = await written(app, tenant, queue)
    with redis.Redis.from_url(redis_url) as client:
        client.rpush(queue, *["{}"] * 40)
        await relay.run()
        assert await state(app, tenant, message_id) == ("PENDING", 0)

        client.delete(queue)
        await relay.run()

    assert await state(app, tenant, message_id) == ("SENT", 1)


async def test_a_backlog_for_one_queue_hides_no_other(
    app: Database, relay: Relay, tenant: str, queue: str, redis_url: str
) -> None:
    for _ in range(60):
        await written(app, tenant, queue)
    await written(app, tenant, f"{queue}-urgent")

    await relay.run()

    assert len(arrived(redis_url, f"{queue}-urgent")) == 1


async def test_relays_and_acknowledgements_of_many_never_wait_in_a_circle(
    app: Database, sync_app: SyncDatabase, relay: Relay, tenant: str, queue: str
) -> None:
    message_ids = [await written(app, tenant, queue, type_=TICKET_CHANGED) for _ in range(40)]

    def acknowledge() -> None:
        with sync_app.transaction(tenant) as connection:
            acknowledge_rows(connection, OUTBOX, message_ids[::-1])

    await asyncio.gather(relay.run(), asyncio.to_thread(acknowledge), relay.run(), asyncio.to_thread(acknowledge))

    assert {(await state(app, tenant, message_id))[0] for message_id in message_ids} == {"ACKNOWLEDGED"}
