"""A message that bff put aside is sent through again: to its own queue, once, as far as it was kept."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from bff.inbox.store import PARKING
from bff.settings import BffSettings
from bff.tables import OUTBOX
from contracts.ids import printed, uuid7
from contracts.messages import TICKET_CHANGED
from runtime.database import SyncDatabase
from runtime.http import trust
from runtime.parking import parked
from services.bff.tests.client import Customer
from services.bff.tests.staffing import staff_token
from services.bff.tests.ticket_news import change, message

pytestmark = pytest.mark.store


@pytest.fixture
def database(settings: BffSettings) -> Iterator[SyncDatabase]:
    opened = SyncDatabase(settings.database_url, pool_size=1)
    yield opened
    opened.close()


def _put_aside(database: SyncDatabase, tenant: str, body: dict[str, object]) -> str:
    parked_id = uuid7()
    with database.transaction(tenant) as connection:
        PARKING.park(connection, parked(body, reason="POISON", detail="It failed."), parked_id=parked_id)
    return printed("msg", parked_id)


async def _replay(bff_url: str, token: str, parked_id: str) -> httpx.Response:
    async with httpx.AsyncClient(base_url=bff_url, trust_env=False, verify=trust()) as http:
        path = f"/v1/staff/parked-news/{parked_id}/replay"
        return await http.post(path, headers={"Authorization": f"Bearer {token}"})


def _sent(database: SyncDatabase, tenant: str) -> list[tuple[str, dict[str, Any]]]:  # any JSON object
    with database.transaction(tenant) as connection:
        rows = connection.execute(select(OUTBOX).where(OUTBOX.c.queue == "bff")).all()
    return [(row.type, row.data) for row in rows]


async def test_a_parked_message_goes_to_the_queue_again_and_leaves_the_list(
    tenant: str, database: SyncDatabase, settings: BffSettings, bff_url: str, customer: Customer
) -> None:
    attempt = await customer.ask("answer")
    body = message(tenant, change(tenant), attempt_id=attempt.attempt_id)
    token = staff_token(settings.keys_directory, tenant, "support")
    parked_id = _put_aside(database, tenant, body)

    answers = [await _replay(bff_url, token, parked_id) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 404]
    assert _sent(database, tenant) == [(TICKET_CHANGED, body["data"])]
    with database.transaction(tenant) as connection:
        assert PARKING.newest(connection, below=None, limit=9) == ()


async def test_what_was_not_kept_stays_in_the_list(
    tenant: str, database: SyncDatabase, settings: BffSettings, bff_url: str
) -> None:
    token = staff_token(settings.keys_directory, tenant, "operator")
    parked_id = _put_aside(database, tenant, message(tenant, change(tenant)))

    refused = await _replay(bff_url, token, parked_id)

    assert refused.status_code == 409
    with database.transaction(tenant) as connection:
        assert len(PARKING.newest(connection, below=None, limit=9)) == 1


async def test_only_support_and_operators_of_the_tenant_may_send_it(
    tenant: str, database: SyncDatabase, settings: BffSettings, bff_url: str
) -> None:
    parked_id = _put_aside(database, tenant, message(tenant, change(tenant)))

    publisher = await _replay(bff_url, staff_token(settings.keys_directory, tenant, "publisher"), parked_id)
    nobody = await _replay(bff_url, staff_token(settings.keys_directory, tenant, "support"), "msg_nothing")

    assert (publisher.status_code, nobody.status_code) == (403, 404)
