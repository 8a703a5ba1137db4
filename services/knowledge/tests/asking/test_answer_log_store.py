"""The answer log only grows: one opening, one closing, one cause, whatever is repeated."""

from dataclasses import replace
from uuid import uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from contracts.reasons import FailureCode, RefusalCause
from knowledge.adapters.answer_log import PostgresAnswerLog
from knowledge.adapters.extractive import ExtractiveWriter
from knowledge.answering.log import Asked, ClosedBeforeError, Closing, as_logged
from knowledge.asking import Means, answer
from runtime.database import Database
from tests.support.answering import (
    NOON,
    FakeLog,
    FakeSearcher,
    compute_here,
    counting_handles,
    make_asked,
    make_passage,
    no_stage,
)
from tests.support.databases import OpenDatabase

pytestmark = pytest.mark.store

PASSAGE = make_passage("茶壶可以在九天内退回。但刻字的除外。", document="returns", heading="退货")


@pytest.fixture
def log(database: Database) -> PostgresAnswerLog:
    return PostgresAnswerLog(database, fingerprint_of=lambda _: "f1")


@pytest.fixture
def asked(tenant: str) -> Asked:
    return replace(make_asked("茶壶几天内可以退？"), tenant=tenant, attempt_id=uuid4(), facts={"orderStatus": "sent"})


async def closing_of(asked: Asked, searcher: FakeSearcher) -> Closing:
    writer = ExtractiveWriter(compute_here)
    means = Means(
        searcher=searcher, writer=writer, fallback=writer, log=FakeLog(), compute=compute_here, stage=no_stage,
        seconds=lambda: 0.0, deadline_seconds=30.0, now=lambda: NOON, new_handle=counting_handles(),
    )  # fmt: skip
    return await answer(asked, means=means)


async def test_an_attempt_is_opened_once(log: PostgresAnswerLog, asked: Asked) -> None:
    assert await log.open(asked)
    assert not await log.open(asked)

    found = await log.find(asked.tenant, asked.attempt_id)
    assert found is not None
    assert found.is_open


async def test_an_unknown_attempt_is_not_found(log: PostgresAnswerLog, asked: Asked) -> None:
    assert await log.find(asked.tenant, asked.attempt_id) is None


async def test_what_is_read_is_what_was_answered(log: PostgresAnswerLog, asked: Asked) -> None:
    closing = await closing_of(asked, FakeSearcher((PASSAGE,)))
    await log.open(asked)

    await log.close(asked, closing)

    assert closing.citations
    assert await log.find(asked.tenant, asked.attempt_id) == as_logged(asked, closing)


async def test_a_second_closing_changes_nothing(log: PostgresAnswerLog, asked: Asked) -> None:
    first = await closing_of(asked, FakeSearcher((PASSAGE,)))
    second = await closing_of(asked, FakeSearcher())
    await log.open(asked)
    await log.close(asked, first)

    with pytest.raises(ClosedBeforeError):
        await log.close(asked, second)

    assert await log.find(asked.tenant, asked.attempt_id) == as_logged(asked, first)


async def test_a_failure_is_kept(log: PostgresAnswerLog, asked: Asked) -> None:
    closing = replace(
        await closing_of(asked, FakeSearcher()), outcome=None, failure=FailureCode.KNOWLEDGE_TIMEOUT, cause=None
    )
    await log.open(asked)

    await log.close(asked, closing)

    found = await log.find(asked.tenant, asked.attempt_id)
    assert found is not None
    assert found.failure is FailureCode.KNOWLEDGE_TIMEOUT


async def test_the_first_cause_stays(log: PostgresAnswerLog, asked: Asked, database: Database) -> None:
    await log.open(asked)
    await log.close(asked, await closing_of(asked, FakeSearcher()))

    await log.note_cause(asked, RefusalCause.FILTERED_BY_ACCESS, ())
    await log.note_cause(asked, RefusalCause.NOT_IN_FORCE, ())

    async with database.transaction(asked.tenant) as connection:
        causes = (await connection.execute(text("SELECT cause FROM answer_cause"))).scalars().all()
    assert causes == ["FILTERED_BY_ACCESS"]


async def test_an_attempt_left_behind_is_abandoned_and_stays_so(
    log: PostgresAnswerLog, asked: Asked, service_database: OpenDatabase
) -> None:
    await log.open(asked)
    owner = Database(service_database("knowledge").owner, pool_size=1)
    async with owner.transaction(asked.tenant) as connection:
        await connection.execute(text("UPDATE answer_opening SET opened_at = opened_at - interval '61 seconds'"))
    await owner.close()

    with pytest.raises(ClosedBeforeError):
        await log.close(asked, await closing_of(asked, FakeSearcher((PASSAGE,))))

    found = await log.find(asked.tenant, asked.attempt_id)
    assert found is not None
    assert (found.outcome, found.failure) == (None, FailureCode.ABANDONED)


@pytest.mark.parametrize("table", ["answer_opening", "answer_log", "answer_cause"])
@pytest.mark.parametrize("change", ["UPDATE {} SET attempt = attempt", "DELETE FROM {}", "TRUNCATE {}"])
async def test_nothing_in_the_log_can_be_changed(database: Database, tenant: str, table: str, change: str) -> None:
    with pytest.raises(ProgrammingError, match="permission denied"):
        async with database.transaction(tenant) as connection:
            await connection.execute(text(change.format(table)))


async def test_another_tenant_finds_nothing(log: PostgresAnswerLog, asked: Asked) -> None:
    await log.open(asked)

    assert await log.find("somebody-else", asked.attempt_id) is None


async def test_the_log_says_how_the_answer_came_about(log: PostgresAnswerLog, asked: Asked, database: Database) -> None:
    await log.open(asked)
    await log.close(asked, await closing_of(asked, FakeSearcher((PASSAGE,))))

    async with database.transaction(asked.tenant) as connection:
        query = text("SELECT * FROM answer_opening JOIN answer_log USING (tenant, attempt, try)")
        row = (await connection.execute(query)).one()
    assert (row.question_masked, row.facts, row.settings_fingerprint) == (
        "茶壶几天内可以退？", {"orderStatus": "sent"}, "f1"
    )  # fmt: skip
    assert (row.outcome, row.version, row.routing_policy, row.writer, row.strength) == (
        "answered", 7, "test", "extractive", "high"
    )  # fmt: skip
    assert row.policy_context == [PASSAGE.passage_id]
    assert row.drafts[0]["claimed"][0] == {"passageId": str(PASSAGE.passage_id), "quote": "茶壶可以在九天内退回。"}
    assert set(row.stage_milliseconds) == {"route", "search", "gate", "write", "release"}
    assert (row.cost, row.input_tokens) == (0, 0)
