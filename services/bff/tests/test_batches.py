"""Messages of ticketing that came together are taken as if each had come alone."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from bff.settings import BffSettings
from bff.tasks.batches import receive_all, take_acknowledgements, take_changes
from bff.tasks.tickets import take_acknowledgement, take_change
from contracts.errors import UnavailableError
from contracts.ids import uuid7
from contracts.messages import ACKNOWLEDGED, TICKET_CHANGED, Envelope
from runtime.database import SyncDatabase

pytestmark = pytest.mark.store

_ATTEMPT = "att_" + "1" * 32
_SENT = """
INSERT INTO outbox (id, tenant, type, queue, subject, attempt_id, data, state)
VALUES (:id, :tenant, 'youju.demo.v1', 'nowhere', 's', 'att', '{}', 'SENT')
"""


@pytest.fixture
def database(settings: BffSettings) -> Iterator[SyncDatabase]:
    opened = SyncDatabase(settings.database_url, pool_size=1)
    yield opened
    opened.close()


def _message(tenant: str, kind: str, data: dict[str, object]) -> dict[str, object]:
    envelope = Envelope(
        id=str(uuid7()),
        source="ticketing",
        type=kind,
        subject="key",
        time=datetime.now(UTC),
        tenant=tenant,
        attemptid=_ATTEMPT,
        data=data,
    )
    return envelope.model_dump(mode="json")


def _change(tenant: str, **more: object) -> dict[str, object]:
    said = {"tenant": tenant, "ticketKey": "key", "escalationId": "esc_" + "0" * 32, "attemptId": _ATTEMPT}
    said |= {"ticketNumber": "T-1", "status": "SOLVED", "sequence": 1, "changedAt": "2026-03-01T09:30:00Z"}
    return _message(tenant, TICKET_CHANGED, {**said, **more})


def test_acknowledgements_of_many_end_each_repetition(tenant: str, database: SyncDatabase) -> None:
    message_ids = [uuid7() for _ in range(3)]
    with database.transaction(tenant) as connection:
        for message_id in message_ids:
            connection.execute(text(_SENT), {"id": message_id, "tenant": tenant})

    bodies = [_message(tenant, ACKNOWLEDGED, {"messageId": str(message_id)}) for message_id in message_ids]
    receive_all(bodies, take_acknowledgements, take_acknowledgement, database)

    with database.transaction(tenant) as connection:
        states = connection.execute(text("SELECT state FROM outbox WHERE type = 'youju.demo.v1'")).scalars().all()
    assert states == ["ACKNOWLEDGED"] * 3


def test_one_that_cannot_be_followed_is_parked_and_the_others_are_taken(tenant: str, database: SyncDatabase) -> None:
    bodies = [_change(tenant), _change(tenant, sequence="many"), _change(tenant, escalationId="esc_none")]

    heard = receive_all(bodies, take_changes, take_change, database)

    assert [envelope.id for envelope in heard] == [body["id"] for body in bodies]
    with database.transaction(tenant) as connection:
        reasons = connection.execute(text("SELECT reason FROM parked_message")).scalars().all()
    assert reasons == ["MALFORMED"] * 2


def test_a_database_that_is_away_leaves_all_to_their_repetition(tenant: str) -> None:
    away = SyncDatabase("postgresql+psycopg://app@127.0.0.1:1/nowhere", pool_size=1)

    with pytest.raises(UnavailableError):
        receive_all([_change(tenant), _change(tenant)], take_changes, take_change, away)

    away.close()
