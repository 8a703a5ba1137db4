"""A second model looks at a sample of answers; what it says is kept, told and brought before reviewers, and no more."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from time import monotonic
from uuid import UUID, uuid4

import pytest
import yaml
from opentelemetry._logs import set_logger_provider
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from prometheus_client import REGISTRY
from sqlalchemy import Row, text

from contracts.ids import printed
from knowledge.adapters.answering import open_answering
from knowledge.adapters.breaker import Breaker
from knowledge.adapters.checker_model import CheckerModel
from knowledge.adapters.openai_endpoint import ModelPlace, OpenAiEndpoint
from knowledge.answering.log import Asked
from knowledge.answering.store import erase_customer
from knowledge.checking.sampling import is_sampled
from knowledge.review.item import ReviewReason
from knowledge.review.store import opening
from knowledge.settings import ModelPrice
from knowledge.tasks.checking import Checking, Drawing, ask_for_due, check_answer, count_checks, draw_sample
from knowledge.tasks.sealing import Sealing, seal_waiting
from runtime.clock import utc_now
from runtime.database import Database, SyncDatabase
from runtime.tenants import TenantDirectory
from tests.support.answering import FakeSearcher, make_asked, make_passage
from tests.support.databases import OpenDatabase
from tests.support.scripted_model import ScriptedModel, scripted_model

pytestmark = pytest.mark.store

_PASSAGE = make_passage("茶壶可以在九天内退回。但刻字的除外。", document="returns", heading="退货")
_PRICE = ModelPrice(input=Decimal(10), output=Decimal(20))


class _Nobody:
    """Hears no head."""

    async def tell(self, batch: object) -> None:
        """Forget it."""


@dataclass
class Bench:
    """Everything between an answer and its judgement, with the parts of the product."""

    database: Database
    sync_database: SyncDatabase
    drawing: Drawing
    sealing: Sealing
    url: str
    model: ScriptedModel
    tenant: str
    asked_for: list[UUID] = field(default_factory=list[UUID])

    async def answer(self) -> Asked:
        """Have a question answered, and its row sealed."""
        asked = replace(make_asked("茶壶几天内可以退？"), tenant=self.tenant, attempt_id=uuid4())
        answering = open_answering(
            database=self.database, searcher=FakeSearcher((_PASSAGE,)), clock=utc_now, embedder="none", most_running=4
        )
        await (await answering.attempts.take_up(asked, seconds=30))
        await answering.close()
        await seal_waiting(self.sealing)
        return asked

    async def draw(self) -> list[UUID]:
        """Draw the sample and hand out what is due of this tenant; give what was handed out."""
        await draw_sample(self.drawing)
        await ask_for_due(self.drawing)
        return self.asked_for

    async def check(self, attempt_id: UUID, behaviour: str, *, budget: Decimal | None = None) -> None:
        """Check an answer as a worker does."""
        seconds = 0.3 if behaviour == "judge is slow" else 60.0
        place = ModelPlace(
            base_url=self.url, model=behaviour, api_key=None, output_tokens=100, output_tokens_field="max_tokens",
            temperature=None, seconds=seconds,
        )  # fmt: skip
        model = CheckerModel(
            model=behaviour, open_endpoint=lambda: OpenAiEndpoint(place), breaker=Breaker(seconds=monotonic),
            price=_PRICE, seconds=seconds, output_tokens=100,
        )  # fmt: skip
        held = Checking(
            database=self.sync_database, model=model, tenants=self.drawing.tenants, daily_budget=budget, clock=utc_now
        )
        await asyncio.to_thread(check_answer, held, tenant=self.tenant, attempt_id=attempt_id)

    async def rows(self, query: str) -> list[Row[tuple[object, ...]]]:
        async with self.database.transaction(self.tenant) as connection:
            return list((await connection.execute(text(query))).all())


@pytest.fixture
async def bench(
    service_database: OpenDatabase, database: Database, sync_database: SyncDatabase, tenant: str, tmp_path: Path
) -> AsyncIterator[Bench]:
    file = tmp_path / "tenants.yaml"
    file.write_text(yaml.safe_dump({"tenants": {tenant: {"name": "Shop", "checker_rate": 1}}}), encoding="utf-8")
    sweeper = Database(service_database("knowledge").sweeper, pool_size=1)
    handed_out: list[UUID] = []

    async def enqueue(whose: str, attempt_id: UUID) -> None:
        if whose == tenant:
            handed_out.append(attempt_id)

    drawing = Drawing(app=database, sweeper=sweeper, tenants=TenantDirectory(file), enqueue=enqueue)
    sealing = Sealing(app=database, sweeper=sweeper, telling=_Nobody(), clock=utc_now)
    async with scripted_model() as (url, model):
        yield Bench(database, sync_database, drawing, sealing, url, model, tenant, handed_out)
    await sweeper.close()


@pytest.fixture(scope="session")
def exporter() -> InMemoryLogRecordExporter:
    exporter = InMemoryLogRecordExporter()
    provider = LoggerProvider()
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    set_logger_provider(provider)
    return exporter


@pytest.fixture
def events(exporter: InMemoryLogRecordExporter) -> InMemoryLogRecordExporter:
    exporter.clear()
    return exporter


_CHECK = "SELECT state, trouble, claims, unsupported, tries, cost FROM answer_check"
_ITEMS = "SELECT attempt, reasons FROM review_item"


async def test_each_answer_is_drawn_and_handed_out_once(bench: Bench) -> None:
    asked = await bench.answer()

    assert await bench.draw() == [asked.attempt_id]
    assert await bench.draw() == [asked.attempt_id]


async def test_nothing_is_drawn_where_nobody_wants_checks(bench: Bench, tmp_path: Path) -> None:
    file = tmp_path / "other.yaml"
    file.write_text(yaml.safe_dump({"tenants": {bench.tenant: {"name": "Shop"}}}), encoding="utf-8")
    await bench.answer()
    bench.drawing = replace(bench.drawing, tenants=TenantDirectory(file))

    assert await bench.draw() == []


@pytest.mark.parametrize("behaviour", ["judge agrees", "judge agrees in a fence"])
async def test_an_answer_a_second_model_agrees_with_is_noted(
    bench: Bench, behaviour: str, events: InMemoryLogRecordExporter
) -> None:
    asked = await bench.answer()
    await bench.draw()

    await bench.check(asked.attempt_id, behaviour)

    (check,) = await bench.rows(_CHECK)
    assert tuple(check) == ("DONE", None, 2, 0, 1, Decimal("0.010200"))
    assert await bench.rows(_ITEMS) == []
    (told,) = [each.log_record for each in events.get_finished_logs()]
    assert told.event_name == "gen_ai.evaluation.result"
    assert dict(told.attributes or {}) == {
        "youju.attempt_id": printed("att", asked.attempt_id), "gen_ai.request.model": behaviour,
        "gen_ai.evaluation.name": "claim_support", "gen_ai.evaluation.score.value": 1.0,
        "gen_ai.evaluation.score.label": "agree",
    }  # fmt: skip


async def test_an_answer_a_second_model_doubts_goes_to_reviewers(
    bench: Bench, events: InMemoryLogRecordExporter
) -> None:
    asked = await bench.answer()
    await bench.draw()

    await bench.check(asked.attempt_id, "judge disagrees")
    await bench.check(asked.attempt_id, "judge agrees")

    assert [tuple(row) for row in await bench.rows(_ITEMS)] == [(asked.attempt_id, ["CHECKER_DISAGREES"])]
    said = await bench.rows("SELECT claim, is_supported, reason FROM answer_judgement ORDER BY claim")
    assert [tuple(row) for row in said] == [(1, False, "says more than its quotes"), (2, True, "")]
    (told,) = [each.log_record for each in events.get_finished_logs()]
    assert (told.attributes or {})["gen_ai.evaluation.score.value"] == 0.5
    await count_checks(bench.drawing)
    assert REGISTRY.get_sample_value("youju_knowledge_checker_disagreement_ratio") == 1.0


async def test_a_disagreement_opens_an_item_that_was_closed_for_one(bench: Bench) -> None:
    asked = await bench.answer()
    await bench.draw()
    item = opening(
        tenant=bench.tenant, attempt_id=asked.attempt_id, reason=ReviewReason.CHECKER_DISAGREES, at=utc_now()
    )
    async with bench.database.transaction(bench.tenant) as connection:
        await connection.execute(item)
        await connection.execute(text("UPDATE review_item SET state = 'CLOSED', closed_at = clock_timestamp()"))

    await bench.check(asked.attempt_id, "judge disagrees")

    assert [row.state for row in await bench.rows("SELECT state FROM review_item")] == ["OPEN"]


async def test_only_the_masked_question_claims_and_quotes_leave(bench: Bench) -> None:
    asked = await bench.answer()
    await bench.draw()

    await bench.check(asked.attempt_id, "judge agrees")

    (received,) = bench.model.received
    sent = received.body["messages"][1]["content"]
    assert "茶壶可以在九天内退回。" in sent
    for never in (str(asked.attempt_id), printed("att", asked.attempt_id), bench.tenant, "Title of returns", "退货"):
        assert never not in str(received.body)
    assert {"traceparent", "baggage"}.isdisjoint(received.headers)


@pytest.mark.parametrize(
    ("behaviour", "trouble"),
    [
        ("judge talks nonsense", "garbled"),
        ("judge leaves a claim out", "garbled"),
        ("judge is slow", "silent"),
        ("500", "failing"),
        ("429 with Retry-After", "busy"),
    ],
)
async def test_trouble_is_tried_again_later_and_given_up_in_the_end(
    bench: Bench, behaviour: str, trouble: str, events: InMemoryLogRecordExporter, owner_of: Callable[[str], Database]
) -> None:
    asked = await bench.answer()
    states: list[object] = []
    for _ in range(3):
        async with owner_of(bench.tenant).transaction(bench.tenant) as connection:
            await connection.execute(text("UPDATE answer_check SET due_at = now() - interval '1 second'"))
        await bench.draw()
        await bench.check(asked.attempt_id, behaviour)
        states += [(row.state, row.trouble) for row in await bench.rows(_CHECK)]

    assert states == [("PENDING", trouble), ("PENDING", trouble), ("GIVEN_UP", trouble)]
    assert await bench.rows(_ITEMS) == []
    told = [(each.log_record.attributes or {})["error.type"] for each in events.get_finished_logs()]
    assert told == [trouble] * 3


@pytest.fixture
async def owner_of(service_database: OpenDatabase) -> AsyncIterator[Callable[[str], Database]]:
    owner = Database(service_database("knowledge").owner, pool_size=1)
    yield lambda _tenant: owner
    await owner.close()


async def test_past_the_daily_budget_nobody_is_asked(bench: Bench) -> None:
    first, second = await bench.answer(), await bench.answer()
    await bench.draw()
    budget = Decimal("0.01")

    await bench.check(first.attempt_id, "judge agrees", budget=budget)
    await bench.check(second.attempt_id, "judge agrees", budget=budget)

    assert len(bench.model.received) == 1
    rows = await bench.rows(f"{_CHECK} ORDER BY state")
    assert [(row.state, row.trouble) for row in rows] == [("DONE", None), ("GIVEN_UP", "budget_spent")]


@pytest.mark.parametrize(("behaviour", "is_billed"), [("judge is slow", True), ("500", False)])
async def test_whoever_has_read_an_answer_is_paid_out_of_the_budget(
    bench: Bench, behaviour: str, *, is_billed: bool
) -> None:
    asked = await bench.answer()
    await bench.draw()

    await bench.check(asked.attempt_id, behaviour)

    (row,) = await bench.rows(_CHECK)
    assert (row.cost > 0) is is_billed


async def test_an_erased_answer_is_not_checked(bench: Bench) -> None:
    asked = await bench.answer()
    await bench.draw()
    with bench.sync_database.transaction(bench.tenant) as connection:
        erase_customer(connection, tenant=bench.tenant, attempt_ids=[asked.attempt_id])

    await bench.check(asked.attempt_id, "judge agrees")

    assert bench.model.received == []
    (check,) = await bench.rows(_CHECK)
    assert (check.state, check.trouble) == ("GIVEN_UP", "gone")


async def test_an_erasure_takes_the_words_of_a_judgement(bench: Bench) -> None:
    asked = await bench.answer()
    await bench.draw()
    await bench.check(asked.attempt_id, "judge disagrees")
    with bench.sync_database.transaction(bench.tenant) as connection:
        erase_customer(connection, tenant=bench.tenant, attempt_ids=[asked.attempt_id])

    said = await bench.rows("SELECT is_supported, reason FROM answer_judgement ORDER BY claim")
    assert [tuple(row) for row in said] == [(False, None), (True, None)]


def test_the_sample_is_the_same_whoever_draws() -> None:
    ids = [uuid4() for _ in range(50)]

    assert [is_sampled(each, 0.5) for each in ids] == [is_sampled(each, 0.5) for each in ids]
