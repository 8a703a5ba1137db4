"""What models cost is in the answer log, and the log is what the day's budget is read from."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from sqlalchemy import text

from contracts.ids import uuid7
from contracts.reasons import FailureCode
from contracts.tenants import Tenant
from knowledge.adapters.answer_log import PostgresAnswerLog
from knowledge.adapters.answering import Answering, open_answering
from knowledge.adapters.breaker import Breaker
from knowledge.adapters.openai_endpoint import ModelPlace, OpenAiEndpoint
from knowledge.adapters.openai_writer import OpenAiWriter, Patience, Route
from knowledge.adapters.writers import Models
from knowledge.answering.draft import Usage
from knowledge.answering.log import Asked, Closing, Logged, LoggedDraft
from knowledge.settings import ModelPrice
from runtime.clock import utc_now
from runtime.database import Database
from tests.support.answering import FakeSearcher, make_asked, make_passage
from tests.support.databases import OpenDatabase
from tests.support.scripted_model import scripted_model

pytestmark = pytest.mark.store

PASSAGE = make_passage("茶壶可以在9天内退回。退货的运费由买家承担。", document="returns", heading="退货")
COST = Decimal("0.001140")


@dataclass(frozen=True)
class Shop:
    """Knows one tenant, whoever is asked for."""

    budget: Decimal

    def find(self, key: str) -> Tenant:
        return Tenant(name=key, writer="openai", writer_daily_budget=self.budget)


@pytest.fixture
async def database(service_database: OpenDatabase) -> AsyncIterator[Database]:
    opened = Database(service_database("knowledge").app, pool_size=2)
    yield opened
    await opened.close()


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


async def test_the_day_is_the_sum_of_what_its_attempts_cost(log: PostgresAnswerLog, tenant: str) -> None:
    now = utc_now()
    await close_one(log, tenant, closing_at(now, Decimal("0.25"), Decimal("0.5")))
    await close_one(log, tenant, closing_at(now, Decimal(1)))
    await close_one(log, tenant, closing_at(now - timedelta(hours=2), Decimal(7)))
    await close_one(log, tenant, closing_at(now, None))

    assert await log.spent_since(tenant, now - timedelta(hours=1)) == Decimal("1.75")
    assert await log.spent_since("somebody-else", now - timedelta(hours=1)) == 0


async def test_an_attempt_asked_before_midnight_counts_for_the_day_it_ended_in(
    log: PostgresAnswerLog, tenant: str
) -> None:
    await close_one(log, tenant, closing_at(utc_now() + timedelta(seconds=20), Decimal(1)))

    assert await log.spent_since(tenant, utc_now() + timedelta(seconds=10)) == 1


async def test_a_cost_that_nobody_knows_stays_unknown(log: PostgresAnswerLog, tenant: str, database: Database) -> None:
    await close_one(log, tenant, closing_at(utc_now(), Decimal(1), None))

    async with database.transaction(tenant) as connection:
        row = (await connection.execute(text("SELECT cost, drafts FROM answer_log"))).one()
    assert row.cost is None
    assert [draft["usage"]["cost"] for draft in row.drafts] == ["1", None]


async def ask(answering: Answering, tenant: str) -> Logged:
    return await (await answering.attempts.take_up(asked_by(tenant), seconds=60))


async def test_a_tenant_is_answered_by_its_model_until_the_budget_is_spent(
    log: PostgresAnswerLog, database: Database, tenant: str
) -> None:
    async with scripted_model() as (url, model):
        place = ModelPlace(
            base_url=url, model="honest", api_key=None, output_tokens=500, output_tokens_field="max_tokens",
            temperature=None, seconds=60.0,
        )  # fmt: skip
        route = Route(
            rank="primary", endpoint=OpenAiEndpoint(place), breaker=Breaker(seconds=lambda: 0.0),
            price=ModelPrice(input=Decimal(1), output=Decimal(4)),
        )  # fmt: skip
        patience = Patience(first_byte_seconds=60.0, whole_seconds=60.0, output_tokens=500)
        models = Models(
            writer=OpenAiWriter((route,), patience=patience), identity="openai/honest", are_priced=True,
            daily_budget=None,
        )  # fmt: skip
        answering = open_answering(
            database=database, searcher=FakeSearcher((PASSAGE,)), clock=utc_now, embedder="none", most_running=4,
            tenants=Shop(budget=2 * COST), models=models,
        )  # fmt: skip

        writers = [(await ask(answering, tenant)).writer for _ in range(3)]
        await answering.close()

    assert writers == ["openai", "openai", "extractive"]
    assert len(model.received) == 2
    assert await log.spent_since(tenant, datetime(2026, 1, 1, tzinfo=UTC)) == 2 * COST


async def test_whatever_a_model_sends_can_be_kept(log: PostgresAnswerLog, tenant: str) -> None:
    asked = await close_one(log, tenant, closing_at(utc_now(), Decimal(1), raw="\ufffd\ufffd 茶壶 \x01"))

    assert await log.find(tenant, asked.attempt_id) is not None
