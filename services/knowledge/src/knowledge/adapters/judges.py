"""Opens the second opinion where the installation names a second model, and keeps it within what a tenant allows."""

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from time import monotonic

from knowledge.adapters.breaker import Breaker
from knowledge.adapters.claim_judge import JUDGE_SECONDS, ClaimJudge
from knowledge.adapters.openai_pieces import Tokens
from knowledge.adapters.prices import cost_of
from knowledge.adapters.writers import Tenants
from knowledge.settings import KnowledgeSettings, ModelPrice
from runtime.clock import Clock, business_day


@dataclass(slots=True, kw_only=True)
class Allowance:
    """What second opinions may cost each tenant on its day. Counts the calls of this process since it started."""

    tenants: Tenants
    price: ModelPrice | None
    daily_budget: Decimal | None
    clock: Clock
    spent: dict[str, tuple[date, Decimal]] = field(default_factory=dict[str, tuple[date, Decimal]])

    async def may_ask(self, tenant: str) -> bool:
        """Tell whether a tenant wants second opinions and has budget left."""
        known = self.tenants.find(tenant)
        if known is None or not known.second_opinion:
            return False
        return self.daily_budget is None or self._spent_today(tenant) < self.daily_budget

    def spend(self, tenant: str, tokens: Tokens) -> Decimal:
        """Count a call, and give what was spent today."""
        total = self._spent_today(tenant) + (cost_of(tokens, self.price) or Decimal(0))
        self.spent[tenant] = (self._today(tenant), total)
        return total

    def _spent_today(self, tenant: str) -> Decimal:
        day, total = self.spent.get(tenant, (None, Decimal(0)))
        return total if day == self._today(tenant) else Decimal(0)

    def _today(self, tenant: str) -> date:
        known = self.tenants.find(tenant)
        return business_day(self.clock(), known.time_zone if known is not None else "UTC")


def open_judge(settings: KnowledgeSettings, *, tenants: Tenants, clock: Clock) -> ClaimJudge | None:
    """Open the second model that the settings name as a judge of claims; None where they name none."""
    if settings.checker_base_url is None:
        return None
    # Loaded only where a model is named: the client costs more than a second of every process's start.
    from knowledge.adapters.openai_endpoint import ModelPlace, OpenAiEndpoint  # noqa: PLC0415

    place = ModelPlace(
        base_url=settings.checker_base_url,
        model=settings.checker_model,
        api_key=settings.checker_api_key.get_secret_value() if settings.checker_api_key else None,
        output_tokens=settings.checker_output_tokens,
        output_tokens_field=settings.model_output_tokens_field,
        temperature=settings.model_temperature,
        seconds=JUDGE_SECONDS,
    )
    allowance = Allowance(
        tenants=tenants,
        price=settings.model_prices.get(settings.checker_model),
        daily_budget=settings.checker_daily_budget,
        clock=clock,
    )
    breaker = Breaker(seconds=monotonic)
    return ClaimJudge(OpenAiEndpoint(place), breaker=breaker, may_ask=allowance.may_ask, spend=allowance.spend)
