"""What bff erases is forgotten here too: in the answer log and in review."""

import threading
from dataclasses import replace
from uuid import UUID

import pytest
from sqlalchemy import text

from contracts.ids import printed, uuid7
from contracts.messages import CUSTOMER_ERASED, CustomerErased, Envelope
from knowledge.adapters.answer_log import PostgresAnswerLog
from knowledge.review.store.parking import PARKING
from runtime.database import Database, SyncDatabase
from runtime.receiving import Receiver
from services.knowledge.tests.review.making import JUDGED_AT, RETURNS, closing_of, judged, log_attempt, take
from tests.support.answering import FakeSearcher, make_asked
from tests.support.receiving import receiver_of

pytestmark = pytest.mark.store


@pytest.fixture
def inbox(sync_database: SyncDatabase) -> Receiver:
    return receiver_of(sync_database, PARKING)


def erased(tenant: str, *attempt_ids: UUID, of: str | None = None) -> Envelope:
    printed_ids = tuple(printed("att", each) for each in attempt_ids)
    said = CustomerErased(tenant=of or tenant, customer=None, attempt_ids=printed_ids, erased_at=JUDGED_AT)
    return Envelope(
        id=str(uuid7()),
        source="bff",
        type=CUSTOMER_ERASED,
        subject=printed_ids[0],
        time=JUDGED_AT,
        tenant=tenant,
        attemptid=printed_ids[0],
        data=said.model_dump(mode="json"),
    )


def is_somebody_waiting(database: SyncDatabase, tenant: str) -> bool:
    waiting = text(
        "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))"
    )
    with database.transaction(tenant) as connection:
        return connection.execute(waiting).scalar_one()


def held(database: SyncDatabase, tenant: str, words: str) -> list[str]:
    """Name the tables of a tenant that hold some words."""
    with database.transaction(tenant) as connection:
        tables = connection.execute(
            text(
                "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace"
            )
        ).scalars()
        return [
            table
            for table in tables
            if connection.execute(
                text(f'SELECT EXISTS (SELECT FROM "{table}" AS row WHERE row::text LIKE :words)'),  # noqa: S608 - a table's own name
                {"words": f"%{words}%"},
            ).scalar_one()
        ]


async def test_what_was_erased_is_held_nowhere_whatever_comes_later(
    inbox: Receiver, database: Database, sync_database: SyncDatabase, tenant: str
) -> None:
    attempt = (await log_attempt(database, tenant)).attempt_id
    judgement = judged(tenant, attempt, comment="lapwing-comment")
    take(inbox, judgement)
    assert "review_judgement" in held(sync_database, tenant, "lapwing-comment")

    take(inbox, erased(tenant, attempt))
    take(inbox, judgement)
    take(inbox, erased(tenant, attempt))

    assert held(sync_database, tenant, "lapwing-comment") == []
    with sync_database.transaction(tenant) as connection:
        row = connection.execute(text("SELECT question_masked FROM answer_opening")).one()
    assert row.question_masked is None


async def test_an_attempt_that_begins_after_its_erasure_leaves_nothing(
    inbox: Receiver, database: Database, sync_database: SyncDatabase, tenant: str
) -> None:
    asked = replace(make_asked("ruff-question"), tenant=tenant, attempt_id=uuid7(), facts={"fact": "ruff-question"})
    take(inbox, erased(tenant, asked.attempt_id))
    log = PostgresAnswerLog(database, fingerprint_of=lambda _: "f1")

    assert await log.open(asked)
    await log.close(asked, await closing_of(asked, FakeSearcher((RETURNS,))))

    assert held(sync_database, tenant, "ruff-question") == []
    assert await log.find(tenant, asked.attempt_id) is None


async def test_an_attempt_that_begins_and_its_erasure_wait_for_each_other(
    inbox: Receiver, database: Database, sync_database: SyncDatabase, tenant: str
) -> None:
    asked = replace(make_asked("ruff-question"), tenant=tenant, attempt_id=uuid7())
    erasing = threading.Thread(target=take, args=(inbox, erased(tenant, asked.attempt_id)))

    def erase_now(_tenant: str) -> str:
        # The attempt is looked at, and its row is not written yet.
        erasing.start()
        while erasing.is_alive() and not is_somebody_waiting(sync_database, tenant):
            pass
        return "f1"

    await PostgresAnswerLog(database, fingerprint_of=erase_now).open(asked)
    erasing.join()

    assert held(sync_database, tenant, "ruff-question") == []


async def test_another_tenants_attempts_stay(
    inbox: Receiver, database: Database, sync_database: SyncDatabase, tenant: str
) -> None:
    attempt = (await log_attempt(database, tenant)).attempt_id

    take(inbox, erased("somebody-else", attempt))
    take(inbox, erased("somebody-else", attempt, of=tenant))

    with sync_database.transaction(tenant) as connection:
        row = connection.execute(text("SELECT question_masked FROM answer_opening")).one()
    assert row.question_masked is not None


def test_what_cannot_be_read_is_put_aside(inbox: Receiver, sync_database: SyncDatabase, tenant: str) -> None:
    envelope = erased(tenant, uuid7())

    take(inbox, envelope.model_copy(update={"data": {**envelope.data, "attemptIds": ["x"]}}))

    with sync_database.transaction(tenant) as connection:
        assert connection.execute(text("SELECT reason FROM parked_message")).scalars().all() == ["MALFORMED"]
