"""Messages of other services are taken once, in whatever order they come, or put aside with a reason."""

from collections.abc import Callable
from itertools import permutations
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from celery import Celery
from kombu.entity import Queue
from sqlalchemy import text

from contracts.messages import ATTEMPT_JUDGED, CUSTOMER_ERASED, ESCALATION_REQUESTED
from knowledge.review.store import erase
from knowledge.review.store.parking import PARKING
from knowledge.tasks.erasing import take_erasure
from knowledge.tasks.inbox import KINDS, register_inbox, take_judgement, take_wish
from runtime.database import Database, SyncDatabase
from runtime.receiving import Receiver
from services.knowledge.tests.review.making import judged, log_attempt, take, wished
from tests.support.receiving import receiver_of

pytestmark = pytest.mark.store

Rows = list[dict[str, Any]]  # columns of several types
LookAt = Callable[[str], Rows]


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def inbox(sync_database: SyncDatabase, told: list[str]) -> Receiver:
    return receiver_of(sync_database, PARKING, told)


@pytest.fixture
def rows(sync_database: SyncDatabase, tenant: str) -> LookAt:
    def look_at(table: str) -> Rows:
        with sync_database.transaction(tenant) as connection:
            return [dict(row) for row in connection.execute(text(f"SELECT * FROM {table}")).mappings()]  # noqa: S608

    return look_at


@pytest.fixture
async def attempt(database: Database, tenant: str) -> UUID:
    return (await log_attempt(database, tenant)).attempt_id


def close_all(inbox: Receiver, tenant: str) -> None:
    with inbox.database.transaction(tenant) as connection:
        connection.execute(text("UPDATE review_item SET state = 'CLOSED', closed_at = clock_timestamp()"))


def test_an_unhappy_customer_brings_the_attempt_before_a_person(
    inbox: Receiver, told: list[str], rows: LookAt, tenant: str, attempt: UUID
) -> None:
    message = judged(tenant, attempt, comment="我的电话是 13800138000，答案过时了")

    take(inbox, message)

    (item,), (judgement,) = rows("review_item"), rows("review_judgement")
    assert (item["attempt"], item["reasons"], item["state"]) == (attempt, ["NOT_HELPFUL"], "OPEN")
    assert "13800138000" not in judgement["comment"]
    assert "答案过时了" in judgement["comment"]
    assert told == [message.id]


def test_praise_is_kept_and_bothers_nobody(inbox: Receiver, rows: LookAt, tenant: str, attempt: UUID) -> None:
    take(inbox, judged(tenant, attempt, "HELPFUL"))

    assert [each["rating"] for each in rows("review_judgement")] == ["HELPFUL"]
    assert rows("review_item") == []


def test_a_wish_for_a_person_brings_the_attempt_before_a_reviewer(
    inbox: Receiver, rows: LookAt, tenant: str, attempt: UUID
) -> None:
    take(inbox, wished(tenant, attempt, note="打 13800138000"))

    ((item,), (wish,)) = rows("review_item"), rows("review_escalation")
    assert (item["reasons"], wish["attempt"]) == (["ESCALATED"], attempt)
    assert "13800138000" not in wish["note"]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_judgements_and_wishes_come_in_any_order_and_twice(
    inbox: Receiver, rows: LookAt, tenant: str, attempt: UUID, order: tuple[int, ...]
) -> None:
    messages = [judged(tenant, attempt), judged(tenant, attempt, "HELPFUL", minutes=5), wished(tenant, attempt)]

    for number in (*order, *order):
        take(inbox, messages[number])

    (judgement,) = rows("review_judgement")
    assert (judgement["rating"], judgement["is_correction"]) == ("HELPFUL", True)
    assert len(rows("review_escalation")) == 1
    assert [set(item["reasons"]) for item in rows("review_item")] == [{"NOT_HELPFUL", "ESCALATED"}]


def test_a_repeat_does_not_open_a_closed_item_again_and_a_correction_does(
    inbox: Receiver, rows: LookAt, tenant: str, attempt: UUID
) -> None:
    first = judged(tenant, attempt)
    take(inbox, first)
    close_all(inbox, tenant)

    take(inbox, first)
    after_repeat = rows("review_item")[0]["state"]
    take(inbox, judged(tenant, attempt, minutes=5))

    assert (after_repeat, rows("review_item")[0]["state"]) == ("CLOSED", "OPEN")


def test_a_later_escalation_opens_a_closed_item_again(
    inbox: Receiver, rows: LookAt, tenant: str, attempt: UUID
) -> None:
    take(inbox, wished(tenant, attempt, escalation_id="esc_1"))
    close_all(inbox, tenant)

    take(inbox, wished(tenant, attempt, escalation_id="esc_2"))

    assert rows("review_item")[0]["state"] == "OPEN"


def test_nothing_is_kept_of_an_attempt_that_is_unknown_or_erased(
    inbox: Receiver, told: list[str], rows: LookAt, tenant: str, attempt: UUID
) -> None:
    with inbox.database.transaction(tenant) as connection:
        erase(connection, attempt_ids=[attempt])

    for attempt_id in (attempt, uuid4()):
        take(inbox, judged(tenant, attempt_id, comment="…"))
        take(inbox, wished(tenant, attempt_id))

    assert (rows("review_judgement"), rows("review_escalation"), len(told)) == ([], [], 4)
    assert [item["state"] for item in rows("review_item")] == ["ERASED"]


async def test_an_attempt_of_another_tenant_is_unknown(
    inbox: Receiver, database: Database, rows: LookAt, tenant: str
) -> None:
    others = (await log_attempt(database, "somebody-else")).attempt_id

    take(inbox, judged(tenant, others))

    assert rows("review_judgement") == []


@pytest.mark.parametrize(
    "change",
    [
        {"attemptId": "att_1"},
        {"tenant": "somebody-else"},
        {"rating": "SO_SO"},
        {"comment": "\x00"},
        {"judgedAt": "2026-07-15T12:00:00"},
    ],
)
def test_what_cannot_be_read_is_parked_without_its_content_and_acknowledged(
    inbox: Receiver, told: list[str], rows: LookAt, tenant: str, change: dict[str, object]
) -> None:
    message = judged(tenant, uuid4(), comment="secret")
    spoiled = message.model_copy(update={"data": {**message.data, **change}})

    for _ in range(2):
        take(inbox, spoiled)

    (parked,) = rows("parked_message")
    assert (parked["reason"], parked["message_id"], parked["source"]) == ("MALFORMED", message.id, "bff")
    assert "secret" not in str(parked)
    assert len(told) == 2


def test_fields_of_a_newer_sender_do_no_harm(inbox: Receiver, rows: LookAt, tenant: str, attempt: UUID) -> None:
    message = judged(tenant, attempt)

    take(inbox, message.model_copy(update={"data": {**message.data, "mood": "angry"}}))

    assert len(rows("review_item")) == 1


def test_a_worker_knows_every_kind_in_every_version(
    inbox: Receiver, told: list[str], rows: LookAt, tenant: str, attempt: UUID
) -> None:
    app = Celery("made-up", broker="memory://")
    register_inbox(app, inbox)
    first, second = judged(tenant, attempt), judged(tenant, attempt)

    app.tasks[ATTEMPT_JUDGED](first.model_dump(mode="json"))
    app.tasks["youju.attempt_judged.v2"]({**second.model_dump(mode="json"), "type": "youju.attempt_judged.v2"})

    queues = cast("list[Queue]", app.conf.task_queues)  # celery ships no types
    assert all(name in app.tasks for name in (ESCALATION_REQUESTED, CUSTOMER_ERASED, "youju.attempt_judged.v9"))
    assert [queue.name for queue in queues] == ["knowledge-inbox", "knowledge"]
    assert {ATTEMPT_JUDGED: take_judgement, ESCALATION_REQUESTED: take_wish, CUSTOMER_ERASED: take_erasure} == KINDS
    assert [each["reason"] for each in rows("parked_message")] == ["UNKNOWN_VERSION"]
    assert (len(rows("review_judgement")), told) == (1, [first.id, second.id])
