"""A message that was put aside is sent through again: once, by the outbox, and only when somebody would acknowledge it."""

import asyncio

import pytest
from sqlalchemy import select

from contracts.errors import NotFoundError
from contracts.ids import printed, uuid7
from contracts.messages import ACKNOWLEDGED, TICKET_CHANGED
from libs.runtime.tests.conftest import FAILED, OUTBOX, PARKED
from runtime.database import Database
from runtime.parking import Parked, Parking, parked
from runtime.replaying import NotReplayableError, send_again

pytestmark = pytest.mark.store

PARKING = Parking(parked=PARKED, failed=FAILED)


async def aside(app: Database, tenant: str, **said: object) -> str:
    """Put a message aside; give its id."""
    body: dict[str, object] = {
        "specversion": "1.0",
        "id": str(uuid7()),
        "source": "bff",
        "type": TICKET_CHANGED,
        "subject": "key",
        "time": "2026-03-01T09:30:00Z",
        "tenant": tenant,
        "attemptid": "att_1",
        "data": {"words": "你好"},
        **said,
    }
    parked_id = uuid7()
    message = parked(body, reason="POISON", detail="why")
    async with app.transaction(tenant) as connection:
        await connection.run_sync(lambda sync: PARKING.park(sync, message, parked_id=parked_id))
    return printed("msg", parked_id)


async def replay(app: Database, tenant: str, parked_id: str) -> Parked:
    async with app.transaction(tenant) as connection:
        return await send_again(connection, PARKING, parked_id, table=OUTBOX, queue="own", new_id=uuid7)


async def listed(app: Database, tenant: str) -> int:
    async with app.transaction(tenant) as connection:
        return len(await connection.run_sync(lambda sync: PARKING.newest(sync, below=None, limit=9)))


async def waiting(app: Database, tenant: str) -> list[tuple[str, str, str, str]]:
    async with app.transaction(tenant) as connection:
        rows = (await connection.execute(select(OUTBOX).where(OUTBOX.c.tenant == tenant))).all()
    return [(row.type, row.queue, row.state, row.data["words"]) for row in rows]


async def test_it_leaves_the_list_for_the_outbox_under_an_id_of_its_own(app: Database, tenant: str) -> None:
    parked_id = await aside(app, tenant)

    sent = await replay(app, tenant, parked_id)

    assert printed("msg", sent.parked_id) == parked_id
    assert (await listed(app, tenant), await waiting(app, tenant)) == (0, [(TICKET_CHANGED, "own", "PENDING", "你好")])


async def test_of_two_who_send_it_at_once_one_finds_it_gone(app: Database, tenant: str) -> None:
    parked_id = await aside(app, tenant)

    ends = await asyncio.gather(*(replay(app, tenant, parked_id) for _ in range(2)), return_exceptions=True)

    assert {type(end) for end in ends} == {Parked, NotFoundError}
    assert len(await waiting(app, tenant)) == 1


@pytest.mark.parametrize(
    "said",
    [
        {"type": ACKNOWLEDGED},
        {"subject": None},
        {"attemptid": "x" * 201},
        {"data": {"words": "a\x00b"}},
    ],
    ids=["acknowledgement", "no envelope", "long name", "text nobody can keep"],
)
async def test_what_nobody_would_receive_stays_in_the_list(app: Database, tenant: str, said: dict[str, object]) -> None:
    parked_id = await aside(app, tenant, **said)

    with pytest.raises(NotReplayableError):
        await replay(app, tenant, parked_id)

    assert (await listed(app, tenant), await waiting(app, tenant)) == (1, [])


async def test_an_id_nobody_gave_out_is_not_found(app: Database, tenant: str) -> None:
    with pytest.raises(NotFoundError):
        await replay(app, tenant, "msg_nothing")
