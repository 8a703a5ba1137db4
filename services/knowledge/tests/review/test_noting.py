"""The end of an attempt brings it before a person when it looks doubtful, in the transaction that logs it."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from contracts.ids import uuid7
from contracts.tenants import ReviewSampling
from knowledge.adapters.answer_log import PostgresAnswerLog
from knowledge.answering.log import ClosedBeforeError, LoggedDraft, LoggedFault
from knowledge.review.store import erase
from runtime.database import Database, SyncDatabase
from services.knowledge.tests.review.making import closing_of, log_attempt
from tests.support.answering import FakeSearcher, make_asked

pytestmark = pytest.mark.store

_REJECTED = LoggedDraft(
    writer="openai", raw="…", claimed=(), trouble=None, usage=None,
    faults=(LoggedFault(code="ALTERED_QUOTE", part=None, citation=1, detail="…"),),
)  # fmt: skip


async def reasons(database: Database, tenant: str) -> list[list[str]]:
    async with database.transaction(tenant) as connection:
        return list((await connection.execute(text("SELECT reasons FROM review_item"))).scalars())


async def test_a_rejected_draft_brings_the_attempt_before_a_person(database: Database, tenant: str) -> None:
    await log_attempt(database, tenant, drafts=(_REJECTED,))

    assert await reasons(database, tenant) == [["VALIDATION_FAILED"]]


async def test_a_good_answer_bothers_nobody(database: Database, tenant: str) -> None:
    await log_attempt(database, tenant)

    assert await reasons(database, tenant) == []


@pytest.mark.parametrize(("share", "expected"), [(0.0, []), (1.0, [["LOW_STRENGTH"]])])
async def test_the_tenant_says_how_many_weak_answers_are_looked_at(
    database: Database, tenant: str, share: float, expected: list[list[str]]
) -> None:
    sampling = ReviewSampling(low=share, medium=share)
    log = PostgresAnswerLog(database, fingerprint_of=lambda _: "f1", sampling_of=lambda _: sampling)
    asked = replace(make_asked("茶壶几天内可以退？"), tenant=tenant, attempt_id=uuid7())
    await log.open(asked)

    await log.close(asked, replace(await closing_of(asked, FakeSearcher()), strength="medium"))

    assert await reasons(database, tenant) == expected


async def test_a_second_closing_opens_nothing(database: Database, tenant: str) -> None:
    asked = await log_attempt(database, tenant)
    log = PostgresAnswerLog(database, fingerprint_of=lambda _: "f1")
    closing = await closing_of(asked, FakeSearcher())

    with pytest.raises(ClosedBeforeError):
        await log.close(asked, replace(closing, drafts=(_REJECTED,)))

    assert await reasons(database, tenant) == []


async def test_an_attempt_that_was_erased_while_it_ran_stays_erased(
    database: Database, sync_database: SyncDatabase, tenant: str
) -> None:
    log = PostgresAnswerLog(database, fingerprint_of=lambda _: "f1")
    asked = replace(make_asked("茶壶几天内可以退？"), tenant=tenant, attempt_id=uuid7())
    await log.open(asked)
    with sync_database.transaction(tenant) as connection:
        erase(connection, attempt_ids=[asked.attempt_id])

    await log.close(asked, replace(await closing_of(asked, FakeSearcher()), drafts=(_REJECTED,)))

    assert await reasons(database, tenant) == [[]]
