"""What models cost is stored with attempts and runs, and that is what the day's budget is read from."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from sqlalchemy import text

from contracts.ids import uuid7
from contracts.reasons import FailureCode
from knowledge.adapters.answer_log import PostgresAnswerLog
from knowledge.adapters.answering import Answering, open_answering
from knowledge.adapters.spending import spending_in
from knowledge.answering.draft import Usage
from knowledge.answering.log import Asked, Closing, Logged, LoggedDraft
from runtime.clock import utc_now
from runtime.database import Database
from tests.support.answering import FakeSearcher, make_asked, make_passage
from tests.support.priced_model import COST, WantsModel, priced_model
from tests.support.scripted_model import scripted_model

pytestmark = pytest.mark.store

PASSAGE = make_passage("茶壶可以在9天内退回。退货的运费由买家承担。", document="returns", heading="退货")


@pytest.fixture
def log(database: Database) -> PostgresAnswerLog:
    return PostgresAnswerLog(database, fingerprint_of=lambda _: "f1")


def asked_by(tenant: str) -> Asked:
    return replace(make_asked("茶壶几天内可以退回？"), tenant=tenant, attempt_id=uuid7())


def closing_at(moment: datetime, *costs: Decimal | None, raw: str = "") -> Closing:
    return Closing(
        outcome=None, failure=FailureCode.INTERNAL, citations=(), cause=None, version=1, routing_policy=None, calibration={}, route=None,
        route_rule=None, strength=None, read_as=(), lacking=(), context=(), candidates=(), stage_milliseconds={},
        closed_at=moment, drafts=tuple(_draft(cost, raw) for cost in costs),
    )  # fmt: skip


def _draft(cost: Decimal | None, raw: str) -> LoggedDraft:
    usage = Usage(model="m", input_tokens=1, output_tokens=1, finish_reason="stop", prompt_version="1", cost=cost)
    return LoggedDraft(writer="openai", raw=raw, claimed=(), faults=(), trouble=None, usage=usage)


async def close_one(log: PostgresAnswerLog, tenant: str, closing: Closing) -> Asked:
    asked = asked_by(tenant)
    await log.open(asked)
    await log.close(asked, closing)
    return asked


async def test_the_day_is_the_sum_of_what_its_attempts_cost(
    log: PostgresAnswerLog, database: Database, tenant: str
) -> None:
    spent_since = spending_in(database)
    now = utc_now()
    await close_one(log, tenant, closing_at(now, Decimal("0.25"), Decimal("0.5")))
    await close_one(log, tenant, closing_at(now, Decimal(1)))
    await close_one(log, tenant, closing_at(now - timedelta(hours=2), Decimal(7)))
    await close_one(log, tenant, closing_at(now, None))
    opinion = Usage(
        model="j", input_tokens=1, output_tokens=1, finish_reason="stop", prompt_version=None, cost=Decimal("0.25")
    )
    await close_one(log, tenant, replace(closing_at(now, Decimal(1)), opinions=(opinion,)))

    assert await spent_since(tenant, now - timedelta(hours=1)) == Decimal("3.00")
    assert await spent_since("somebody-else", now - timedelta(hours=1)) == 0


async def test_an_attempt_asked_before_midnight_counts_for_the_day_it_ended_in(
    log: PostgresAnswerLog, database: Database, tenant: str
) -> None:
    await close_one(log, tenant, closing_at(utc_now() + timedelta(seconds=20), Decimal(1)))

    assert await spending_in(database)(tenant, utc_now() + timedelta(seconds=10)) == 1


async def test_a_cost_that_nobody_knows_stays_unknown(log: PostgresAnswerLog, tenant: str, database: Database) -> None:
    await close_one(log, tenant, closing_at(utc_now(), Decimal(1), None))

    async with database.transaction(tenant) as connection:
        row = (await connection.execute(text("SELECT cost, drafts FROM answer_log"))).one()
    assert row.cost is None
    assert [draft["usage"]["cost"] for draft in row.drafts] == ["1", None]


async def ask(answering: Answering, tenant: str) -> Logged:
    return await (await answering.attempts.take_up(asked_by(tenant), seconds=60))


async def test_a_tenant_is_answered_by_its_model_until_the_budget_is_spent(database: Database, tenant: str) -> None:
    async with scripted_model() as (url, model):
        answering = open_answering(
            database=database, searcher=FakeSearcher((PASSAGE,)), clock=utc_now, embedder="none", most_running=4,
            tenants=WantsModel(budget=2 * COST), models=priced_model(url),
        )  # fmt: skip

        writers = [(await ask(answering, tenant)).writer for _ in range(3)]
        await answering.close()

    assert writers == ["openai", "openai", "extractive"]
    assert len(model.received) == 2
    assert await spending_in(database)(tenant, datetime(2026, 1, 1, tzinfo=UTC)) == 2 * COST


async def test_whatever_a_model_sends_can_be_kept(log: PostgresAnswerLog, tenant: str) -> None:
    asked = await close_one(log, tenant, closing_at(utc_now(), Decimal(1), raw="\ufffd\ufffd 茶壶 \x01"))

    assert await log.find(tenant, asked.attempt_id) is not None
