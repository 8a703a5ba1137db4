"""Messages of ticketing that came together are taken as if each had come alone."""

from collections.abc import Iterator

import pytest
from celery import Celery
from sqlalchemy import text

from bff.inbox.store import PARKING
from bff.settings import BffSettings
from bff.tasks.batches import add_batches, receive_acknowledgements, receive_changes
from contracts.errors import UnavailableError
from contracts.ids import uuid7
from contracts.messages import ACKNOWLEDGED
from runtime.database import SyncDatabase
from services.bff.tests.ticket_news import change, message
from tests.support.receiving import receiver_of

pytestmark = pytest.mark.store

_SENT = """
INSERT INTO outbox (id, tenant, type, queue, subject, attempt_id, data, state)
VALUES (:id, :tenant, 'youju.demo.v1', 'nowhere', 's', 'att', '{}', 'SENT')
"""


@pytest.fixture
def database(settings: BffSettings) -> Iterator[SyncDatabase]:
    opened = SyncDatabase(settings.database_url, pool_size=1)
    yield opened
    opened.close()


def test_acknowledgements_of_many_end_each_repetition(tenant: str, database: SyncDatabase) -> None:
    message_ids = [uuid7() for _ in range(3)]
    with database.transaction(tenant) as connection:
        for message_id in message_ids:
            connection.execute(text(_SENT), {"id": message_id, "tenant": tenant})

    bodies = [message(tenant, {"messageId": str(message_id)}, kind=ACKNOWLEDGED) for message_id in message_ids]
    receive_acknowledgements(receiver_of(database, PARKING), bodies)

    with database.transaction(tenant) as connection:
        states = connection.execute(text("SELECT state FROM outbox WHERE type = 'youju.demo.v1'")).scalars().all()
    assert states == ["ACKNOWLEDGED"] * 3


def test_one_that_cannot_be_followed_is_parked_and_the_others_are_taken(tenant: str, database: SyncDatabase) -> None:
    bodies = [
        message(tenant, change(tenant)),
        message(tenant, change(tenant, sequence="many")),
        message(tenant, change(tenant, escalationId="esc_none")),
    ]

    told: list[str] = []
    receive_changes(receiver_of(database, PARKING, told), bodies)

    assert told == [body["id"] for body in bodies]
    with database.transaction(tenant) as connection:
        reasons = connection.execute(text("SELECT reason FROM parked_message")).scalars().all()
    assert reasons == ["MALFORMED"] * 2


def test_news_of_an_unknown_major_that_came_together_are_parked(tenant: str, database: SyncDatabase) -> None:
    bodies = [message(tenant, change(tenant), kind="youju.ticket_changed.v2") for _ in range(2)]
    with Celery("tests", set_as_current=False) as app:
        add_batches(app, receiver_of(database, PARKING))

        app.tasks["youju.ticket_changed.v2.batch"](bodies)

    with database.transaction(tenant) as connection:
        reasons = connection.execute(text("SELECT reason FROM parked_message")).scalars().all()
    assert reasons == ["UNKNOWN_VERSION"] * 2


def test_a_database_that_is_away_leaves_all_to_their_repetition(tenant: str) -> None:
    away = SyncDatabase("postgresql+psycopg://app@127.0.0.1:1/nowhere", pool_size=1)

    with pytest.raises(UnavailableError):
        receive_changes(receiver_of(away, PARKING), [message(tenant, change(tenant)), message(tenant, change(tenant))])

    away.close()
