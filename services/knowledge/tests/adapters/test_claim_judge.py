"""A second opinion lifts doubts, never faults, and whatever is not a plain yes is a no."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from contracts.tenants import Tenant
from knowledge.adapters.breaker import Breaker
from knowledge.adapters.claim_judge import ClaimJudge
from knowledge.adapters.judges import Allowance
from knowledge.adapters.openai_endpoint import ModelPlace, OpenAiEndpoint
from knowledge.adapters.openai_pieces import Tokens
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
    opened: list[ClaimJudge] = field(default_factory=list[ClaimJudge])

    def judge(self, behaviour: str, *, seconds: float = 60.0) -> ClaimJudge:
        place = ModelPlace(
            base_url=self.url, model=behaviour, api_key="made-up", output_tokens=100,
            output_tokens_field="max_tokens", temperature=0.0, seconds=seconds,
        )  # fmt: skip
        tenants = Directory(Tenant(name="Tea", second_opinion=self.wants))
        allowance = Allowance(tenants=tenants, price=PRICE, daily_budget=self.budget, clock=lambda: self.now)
        breaker = Breaker(seconds=lambda: self.clock)
        judge = ClaimJudge(OpenAiEndpoint(place), breaker=breaker, may_ask=allowance.may_ask, spend=allowance.spend)
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
    assert await judging.judge("judge that agrees").supports("tea", DOUBTS)


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
    assert not await judging.judge(behaviour).supports("tea", DOUBTS)


async def test_a_slow_judge_is_not_waited_for(judging: Judging) -> None:
    assert not await judging.judge("slow judge", seconds=0.05).supports("tea", DOUBTS)


async def test_a_judge_in_trouble_is_left_alone(judging: Judging) -> None:
    judge = judging.judge("500")

    for _ in range(5):
        assert not await judge.supports("tea", DOUBTS)

    assert len(judging.model.received) == 3


async def test_nobody_is_asked_for_a_tenant_that_did_not_choose_it(judging: Judging) -> None:
    assert not await judging.judge("judge that agrees").supports("unknown", DOUBTS)

    judging.wants = False
    assert not await judging.judge("judge that agrees").supports("tea", DOUBTS)
    assert judging.model.received == []


async def test_only_masked_claims_and_their_quotes_leave(judging: Judging) -> None:
    await judging.judge("judge that agrees").supports("tea", DOUBTS)

    (received,) = judging.model.received
    sent = received.body["messages"][-1]["content"]
    assert "13800138000" not in sent
    assert "茶壶可以退回。" in sent
    assert not {"traceparent", "baggage"} & received.headers.keys()


async def test_a_spent_budget_asks_nobody_until_the_next_day(judging: Judging) -> None:
    judging.budget = Decimal("0.5")
    judge = judging.judge("judge that agrees")

    first, second = [await judge.supports("tea", DOUBTS) for _ in range(2)]
    judging.now = NOON.replace(day=3)
    third = await judge.supports("tea", DOUBTS)

    assert (first, second, third) == (True, False, True)


def test_spending_adds_up_over_a_day() -> None:
    tenants = Directory(Tenant(name="Tea"))
    allowance = Allowance(tenants=tenants, price=PRICE, daily_budget=None, clock=lambda: NOON)

    allowance.spend("tea", Tokens(1000, 0))

    assert allowance.spend("tea", Tokens(0, 1000)) == Decimal(2)
