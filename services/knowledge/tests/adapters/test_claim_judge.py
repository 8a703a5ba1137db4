"""A second opinion lifts doubts, never faults, and whatever is not a plain yes is a no."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from itertools import count

import pytest

from contracts.tenants import Tenant
from knowledge.adapters.breaker import Breaker
from knowledge.adapters.budgets import Budgets
from knowledge.adapters.claim_judge import ClaimJudge
from knowledge.adapters.judges import Allowance
from knowledge.adapters.openai_endpoint import ModelPlace, OpenAiEndpoint
from knowledge.answering.draft import Usage
from knowledge.settings import ModelPrice
from knowledge.validation.second_opinion import Doubt
from tests.support.scripted_model import ScriptedModel, scripted_model

pytestmark = pytest.mark.unit

DOUBTS = (
    Doubt(1, "茶壶能退。", ("茶壶可以退回。",)),
    Doubt(2, "Call 13800138000 about lamps.", ("Lamps are repaired.",)),
)
PRICE = ModelPrice(input=Decimal(1000), output=Decimal(1000))
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@dataclass
class Directory:
    tenant: Tenant

    def find(self, key: str) -> Tenant | None:
        return self.tenant if key == "tea" else None


@dataclass
class Judging:
    """Judges through the scripted server."""

    url: str
    model: ScriptedModel
    clock: float = 0.0
    now: datetime = NOON
    wants: bool = True
    budget: Decimal | None = None
    is_priced: bool = True
    spent: list[Usage] = field(default_factory=list[Usage])
    opened: list[ClaimJudge] = field(default_factory=list[ClaimJudge])

    async def spent_since(self, tenant: str, moment: datetime) -> Decimal:
        assert tenant == "tea"
        costs = (each.cost or Decimal(0) for each in self.spent)
        return sum(costs, Decimal(0)) if moment.day == NOON.day else Decimal(0)

    async def supports(self, behaviour: str, tenant: str = "tea", *, seconds: float = 60.0) -> bool:
        judge = self.judge(behaviour, seconds=seconds)
        return await judge.supports(tenant, DOUBTS, spend=self.spent.append)

    def judge(self, behaviour: str, *, seconds: float = 60.0, whole_seconds: float = 60.0) -> ClaimJudge:
        place = ModelPlace(
            base_url=self.url, model=behaviour, api_key="made-up", output_tokens=100,
            output_tokens_field="max_tokens", temperature=0.0, seconds=seconds,
        )  # fmt: skip
        tenants = Directory(Tenant(name="Tea", second_opinion=self.wants))
        # What was stored a moment ago is read at each call.
        budgets = Budgets(self.spent_since, seconds=count(step=60).__next__)
        allowance = Allowance(
            tenants=tenants, budgets=budgets, is_priced=self.is_priced, daily_budget=self.budget, clock=lambda: self.now
        )
        breaker = Breaker(seconds=lambda: self.clock)
        judge = ClaimJudge(
            OpenAiEndpoint(place), breaker=breaker, may_ask=allowance.may_ask, price=PRICE, seconds=whole_seconds
        )
        self.opened.append(judge)
        return judge


@pytest.fixture
async def judging() -> AsyncIterator[Judging]:
    async with scripted_model() as (url, model):
        judging = Judging(url, model)
        yield judging
        for judge in judging.opened:
            await judge.close()
        model.released.set()


async def test_a_yes_for_every_claim_supports(judging: Judging) -> None:
    assert await judging.supports("judge that agrees")


@pytest.mark.parametrize(
    "behaviour",
    [
        "judge that disagrees",
        "judge that forgets one",
        "judge that explains",
        "judge that guesses words",
        "judge that says nothing",
        "judge that never ends",
        "500",
        "429 with Retry-After",
        "redirect",
        "error event",
    ],
)
async def test_anything_else_does_not_support(judging: Judging, behaviour: str) -> None:
    assert not await judging.supports(behaviour)


@pytest.mark.parametrize("patience", [{"seconds": 0.05}, {"whole_seconds": 0.05}])
async def test_a_slow_judge_is_not_waited_for(judging: Judging, patience: dict[str, float]) -> None:
    judge = judging.judge("slow judge", **patience)

    assert not await judge.supports("tea", DOUBTS, spend=judging.spent.append)


async def test_a_judge_in_trouble_is_left_alone(judging: Judging) -> None:
    judge = judging.judge("500")

    for _ in range(5):
        assert not await judge.supports("tea", DOUBTS, spend=judging.spent.append)

    assert len(judging.model.received) == 3


async def test_nobody_is_asked_for_a_tenant_that_did_not_choose_it(judging: Judging) -> None:
    assert not await judging.supports("judge that agrees", "unknown")

    judging.wants = False
    assert not await judging.supports("judge that agrees")
    assert judging.model.received == []


async def test_only_masked_claims_and_their_quotes_leave(judging: Judging) -> None:
    await judging.supports("judge that agrees")

    (received,) = judging.model.received
    sent = received.body["messages"][-1]["content"]
    assert "13800138000" not in sent
    assert "茶壶可以退回。" in sent
    assert not {"traceparent", "baggage"} & received.headers.keys()


async def test_a_spent_budget_asks_nobody_until_the_next_day(judging: Judging) -> None:
    judging.budget = Decimal("0.5")

    first, second = [await judging.supports("judge that agrees") for _ in range(2)]
    judging.now = NOON.replace(day=3)
    third = await judging.supports("judge that agrees")

    assert (first, second, third) == (True, False, True)


async def test_what_has_no_price_is_not_asked_under_a_budget(judging: Judging) -> None:
    judging.budget, judging.is_priced = Decimal(100), False

    assert not await judging.supports("judge that agrees")
    assert judging.model.received == []


@pytest.mark.parametrize("behaviour", ["judge that agrees", "judge that guesses words", "slow judge"])
async def test_whoever_has_read_the_claims_is_paid(judging: Judging, behaviour: str) -> None:
    await judging.supports(behaviour, seconds=60.0 if behaviour != "slow judge" else 0.05)

    (usage,) = judging.spent
    assert usage.input_tokens > 100
    assert usage.cost is not None
    assert usage.cost > 0


@pytest.mark.parametrize("behaviour", ["500", "429 with Retry-After", "redirect"])
async def test_whoever_refuses_a_call_is_paid_nothing(judging: Judging, behaviour: str) -> None:
    await judging.supports(behaviour)

    assert judging.spent == []
