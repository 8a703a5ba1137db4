"""Each tenant gets the writer it chose while it can afford it, and an answer in any case."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from prometheus_client import REGISTRY

from contracts.errors import UnavailableError
from contracts.tenants import Tenant
from knowledge.adapters.budgets import Budgets
from knowledge.adapters.extractive import ExtractiveWriter
from knowledge.adapters.openai_writer import OpenAiWriter, Patience
from knowledge.adapters.writers import Models, Writers, open_models
from knowledge.answering.draft import Usage
from knowledge.answering.log import Closing, LoggedDraft
from knowledge.settings import KnowledgeSettings
from runtime.settings import SettingsError, load_settings
from tests.support.answering import NOON, compute_here

pytestmark = pytest.mark.unit

EXTRACTIVE = ExtractiveWriter(compute_here)
MODEL = OpenAiWriter((), patience=Patience(first_byte_seconds=1, whole_seconds=1, output_tokens=9))
MODELS = Models(writer=MODEL, identity="openai/m", are_priced=True, daily_budget=Decimal(2))
NEEDED = {
    "YOUJU_REDIS_URL": "redis://h", "YOUJU_KEYS_DIRECTORY": "k", "YOUJU_TENANTS_FILE": "t",
    "YOUJU_KNOWLEDGE_DATABASE_URL": "postgresql://h",
}  # fmt: skip


@dataclass
class World:
    """Tenants, a log of costs, and clocks that the test turns."""

    tenants: dict[str, Tenant] = field(default_factory=dict[str, Tenant])
    spent: Decimal = Decimal(0)
    asked_since: list[datetime] = field(default_factory=list[datetime])
    trouble: Exception | None = None
    seconds: float = 0.0
    now: datetime = NOON

    def find(self, key: str) -> Tenant | None:
        return self.tenants.get(key)

    async def spent_since(self, tenant: str, moment: datetime) -> Decimal:
        del tenant
        if self.trouble is not None:
            raise self.trouble
        self.asked_since.append(moment)
        return self.spent

    def writers(self, models: Models | None = MODELS) -> Writers:
        budgets = Budgets(self.spent_since, seconds=lambda: self.seconds)
        return Writers(extractive=EXTRACTIVE, models=models, tenants=self, budgets=budgets, clock=lambda: self.now)


@pytest.fixture
def world() -> World:
    return World(tenants={"quoting": Tenant(name="Q"), "wording": Tenant(name="W", writer="openai")})


def passed_over(reason: str) -> float:
    return REGISTRY.get_sample_value("youju_knowledge_writer_passed_over_total", {"reason": reason}) or 0.0


async def test_a_tenant_that_chose_nothing_is_quoted_to(world: World) -> None:
    writers = world.writers()

    assert await writers.choose("quoting") is EXTRACTIVE
    assert await writers.choose("nobody") is EXTRACTIVE
    assert await writers.choose("wording") is MODEL
    assert (writers.identity("quoting"), writers.identity("wording")) == ("extractive", "openai/m")


async def test_without_a_model_the_extractive_writer_answers(world: World) -> None:
    before = passed_over("no_model")

    assert await world.writers(None).choose("wording") is EXTRACTIVE
    assert passed_over("no_model") == before + 1


async def test_past_the_budget_the_extractive_writer_answers_and_a_metric_rises(world: World) -> None:
    before = passed_over("budget_spent")
    world.spent = Decimal("2.0")

    assert await world.writers().choose("wording") is EXTRACTIVE
    assert passed_over("budget_spent") == before + 1


async def test_a_tenant_may_have_a_budget_of_its_own(world: World) -> None:
    world.spent = Decimal("2.5")
    world.tenants["wording"] = Tenant(name="W", writer="openai", writer_daily_budget=Decimal(3))

    assert await world.writers().choose("wording") is MODEL


async def test_without_any_budget_the_log_is_not_read(world: World) -> None:
    assert await world.writers(replace(MODELS, daily_budget=None)).choose("wording") is MODEL
    assert world.asked_since == []


@pytest.mark.parametrize("are_priced", [True, False])
async def test_what_cannot_be_counted_is_not_spent(world: World, *, are_priced: bool) -> None:
    world.trouble = UnavailableError() if are_priced else None

    assert await world.writers(replace(MODELS, are_priced=are_priced)).choose("wording") is EXTRACTIVE


async def test_the_day_begins_where_the_tenant_is(world: World) -> None:
    world.now = datetime(2026, 11, 29, 17, tzinfo=UTC)

    await world.writers().choose("wording")

    assert world.asked_since == [datetime(2026, 11, 29, 16, tzinfo=UTC)]


async def test_a_process_counts_what_it_spends_between_two_looks(world: World) -> None:
    writers = world.writers()
    assert await writers.choose("wording") is MODEL

    writers.settle("wording", closing_that_cost("1.5", "0.5"))

    assert await writers.choose("wording") is EXTRACTIVE
    assert len(world.asked_since) == 1


async def test_the_log_is_read_again_after_a_while_and_on_a_new_day(world: World) -> None:
    writers = world.writers()
    await writers.choose("wording")
    world.seconds = 10.0
    await writers.choose("wording")
    world.now += timedelta(days=1)

    await writers.choose("wording")

    assert len(world.asked_since) == 3


def closing_that_cost(*costs: str) -> Closing:
    return Closing(
        outcome=None, failure=None, citations=(), cause=None, version=1, routing_policy=None, calibration={}, route=None,
        route_rule=None, strength=None, read_as=(), lacking=(), context=(), candidates=(), stage_milliseconds={},
        closed_at=NOON, drafts=tuple(_draft(Decimal(cost)) for cost in costs),
    )  # fmt: skip


def _draft(cost: Decimal) -> LoggedDraft:
    usage = Usage(model="m", input_tokens=1, output_tokens=1, finish_reason="stop", prompt_version="1", cost=cost)
    return LoggedDraft(writer="openai", raw="", claimed=(), faults=(), trouble=None, usage=usage)


def settings(monkeypatch: pytest.MonkeyPatch, **more: str) -> KnowledgeSettings:
    for name, value in (NEEDED | {f"YOUJU_KNOWLEDGE_{name}": value for name, value in more.items()}).items():
        monkeypatch.setenv(name, value)
    return load_settings(KnowledgeSettings)


def test_nothing_is_opened_where_no_endpoint_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert open_models(settings(monkeypatch)) is None


async def test_models_are_opened_as_the_settings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    read = settings(
        monkeypatch, MODEL_BASE_URL="http://h/v1", MODEL_NAME="big", MODEL_FALLBACK_NAME="small",
        MODEL_PRICES='{"big": {"input": "1", "output": "2"}, "small": {"input": "0.1", "output": "0.2"}}',
        MODEL_DAILY_BUDGET="5",
    )  # fmt: skip

    models = open_models(read)

    assert models is not None
    assert models.identity.startswith("openai/big/small/sentences-2/")
    assert (models.are_priced, models.daily_budget) == (True, Decimal(5))
    await models.writer.close()


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"MODEL_BASE_URL": "http://h/v1"}, "MODEL_NAME is not set"),
        ({"MODEL_BASE_URL": "http://h/v1", "MODEL_NAME": "m", "MODEL_DAILY_BUDGET": "1"}, "says nothing of m"),
    ],
)
def test_settings_that_cannot_work_stop_the_start(
    monkeypatch: pytest.MonkeyPatch, more: dict[str, str], sentence: str
) -> None:
    with pytest.raises(SettingsError, match=sentence):
        settings(monkeypatch, **more)
