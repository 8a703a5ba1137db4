"""What ticketing says and bff cannot follow is put aside with its reason, acknowledged, and listed for staff."""

from collections.abc import Callable, Iterator, Mapping
from typing import cast

import httpx
import pytest
from celery import Celery
from sqlalchemy import text

from bff.adapters.clients import Clients
from bff.adapters.retention import Retention
from bff.inbox.store import PARKING
from bff.settings import BffSettings
from bff.tasks.tickets import add_tasks
from contracts.messages import TICKET_CHANGED
from runtime.database import SyncDatabase
from runtime.http import trust
from services.bff.tests.client import Customer
from services.bff.tests.staffing import staff_token
from services.bff.tests.ticket_news import change, message
from tests.support.receiving import receiver_of

pytestmark = pytest.mark.store


@pytest.fixture
def database(settings: BffSettings) -> Iterator[SyncDatabase]:
    opened = SyncDatabase(settings.database_url, pool_size=1)
    yield opened
    opened.close()


def worker_tasks(database: SyncDatabase, told: list[str]) -> Mapping[str, Callable[[dict[str, object]], None]]:
    app = Celery("made-up", broker="memory://")
    add_tasks(app, receiver_of(database, PARKING, told))
    return cast("Mapping[str, Callable[[dict[str, object]], None]]", app.tasks)  # celery ships no types


async def test_messages_that_cannot_be_followed_are_listed_with_their_reason(
    tenant: str, database: SyncDatabase, settings: BffSettings, bff_url: str
) -> None:
    secret = "我的卡号"
    unreadable = message(tenant, change(tenant, sequence=secret))
    messages = [
        unreadable,
        message(tenant, change("somebody-else")),
        message(tenant, change(tenant, escalationId="1")),
    ]
    told: list[str] = []
    tasks = worker_tasks(database, told)
    for each in (*messages, unreadable):
        tasks[TICKET_CHANGED](each)
    tasks["youju.ticket_changed.v2"](message(tenant, {}, kind="youju.ticket_changed.v2"))

    token = staff_token(settings.keys_directory, tenant, "support")
    async with httpx.AsyncClient(base_url=bff_url, trust_env=False, verify=trust()) as http:
        page = await http.get("/v1/staff/parked-news", headers={"Authorization": f"Bearer {token}"})

    listed = page.raise_for_status().json()["items"]
    assert len(told) == 5
    assert [each["reason"] for each in listed] == ["UNKNOWN_VERSION", "MALFORMED", "MALFORMED", "MALFORMED"]
    assert "sequence" in listed[-1]["detail"]
    assert secret not in page.text


async def test_what_was_put_aside_is_forgotten_after_its_time(
    tenant: str, database: SyncDatabase, clients: Clients
) -> None:
    for message_id in ("old", "new"):
        worker_tasks(database, [])[TICKET_CHANGED]({"tenant": tenant, "id": message_id})
    with database.transaction(tenant) as connection:
        connection.execute(
            text("UPDATE parked_message SET parked_at = now() - interval '91 days' WHERE message_id = 'old'")
        )

    await Retention(clients).drop_repeats()

    with database.transaction(tenant) as connection:
        assert connection.execute(text("SELECT message_id FROM parked_message")).scalars().all() == ["new"]


async def test_what_a_parked_message_says_is_kept_while_its_attempt_is_there(
    tenant: str, database: SyncDatabase, customer: Customer
) -> None:
    attempt = await customer.ask("answer")
    known = message(tenant, change(tenant, sequence="x"), attempt_id=attempt.attempt_id)
    for body in (known, message(tenant, change(tenant, sequence="y"))):
        worker_tasks(database, [])[TICKET_CHANGED](body)

    with database.transaction(tenant) as connection:
        listed = PARKING.newest(connection, below=None, limit=9)
    assert [(each.message_id == known["id"], each.body is None) for each in listed] == [(False, True), (True, False)]
