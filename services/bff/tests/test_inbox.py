"""What ticketing says and bff cannot follow is put aside with its reason, acknowledged, and listed for staff."""

from collections.abc import Iterator

import httpx
import pytest
from sqlalchemy import text

from bff.adapters.clients import Clients
from bff.adapters.retention import Retention
from bff.settings import BffSettings
from bff.tasks.tickets import receive, refuse_version, take_change
from contracts.messages import Envelope
from runtime.database import SyncDatabase
from services.bff.tests.staffing import staff_token
from services.bff.tests.ticket_news import change, message

pytestmark = pytest.mark.store


@pytest.fixture
def database(settings: BffSettings) -> Iterator[SyncDatabase]:
    opened = SyncDatabase(settings.database_url, pool_size=1)
    yield opened
    opened.close()


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
    answered = [receive(each, take_change, database) for each in (*messages, unreadable)]
    later = message(tenant, {}, kind="youju.ticket_changed.v2")
    answered.append(receive(later, refuse_version, database))

    token = staff_token(settings.keys_directory, tenant, "support")
    async with httpx.AsyncClient(base_url=bff_url, trust_env=False) as http:
        page = await http.get("/v1/staff/parked-news", headers={"Authorization": f"Bearer {token}"})

    listed = page.raise_for_status().json()["items"]
    assert all(each is not None for each in answered)
    assert [each["reason"] for each in listed] == ["UNKNOWN_VERSION", "MALFORMED", "MALFORMED", "MALFORMED"]
    assert "sequence" in listed[-1]["detail"]
    assert secret not in page.text


def test_a_message_without_an_envelope_is_parked_and_not_acknowledged(tenant: str, database: SyncDatabase) -> None:
    assert receive({"tenant": tenant, "id": "m-1"}, take_change, database) is None

    with database.transaction(tenant) as connection:
        found = connection.execute(text("SELECT message_id, reason FROM parked_message")).all()
    assert [tuple(row) for row in found] == [("m-1", "MALFORMED")]


def test_a_message_whose_handling_fails_three_times_is_parked(tenant: str, database: SyncDatabase) -> None:
    poison = message(tenant, change(tenant))

    def fail(_envelope: Envelope, _database: SyncDatabase) -> None:
        raise RuntimeError

    for _ in range(2):
        with pytest.raises(RuntimeError):
            receive(poison, fail, database)

    assert receive(poison, fail, database) is not None
    with database.transaction(tenant) as connection:
        (row,) = connection.execute(text("SELECT reason, detail FROM parked_message")).all()
    assert (row.reason, "RuntimeError" in row.detail) == ("POISON", True)


async def test_what_was_put_aside_is_forgotten_after_its_time(
    tenant: str, database: SyncDatabase, clients: Clients
) -> None:

    receive({"tenant": tenant, "id": "old"}, take_change, database)
    receive({"tenant": tenant, "id": "new"}, take_change, database)
    with database.transaction(tenant) as connection:
        connection.execute(
            text("UPDATE parked_message SET parked_at = now() - interval '91 days' WHERE message_id = 'old'")
        )

    await Retention(clients).drop_repeats()

    with database.transaction(tenant) as connection:
        assert connection.execute(text("SELECT message_id FROM parked_message")).scalars().all() == ["new"]
