"""Opens the second opinion where the installation names a second model, and keeps it within what a tenant allows."""

from dataclasses import dataclass
from decimal import Decimal
from time import monotonic

from knowledge.adapters.breaker import Breaker
from knowledge.adapters.budgets import Budgets
from knowledge.adapters.claim_judge import JUDGE_SECONDS, ClaimJudge
from knowledge.adapters.writers import Tenants
from knowledge.settings import KnowledgeSettings
from runtime.clock import Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What second opinions may cost a tenant: what is left of its budget of the day, as for the writer."""

    tenants: Tenants
    budgets: Budgets
    is_priced: bool
    daily_budget: Decimal | None
    clock: Clock

    async def may_ask(self, tenant: str) -> bool:
        """Tell whether a tenant wants second opinions and has budget left."""
        known = self.tenants.find(tenant)
        if known is None or not known.second_opinion:
            return False
        reason = await self.budgets.stands_against(
            tenant, known, usual=self.daily_budget, are_priced=self.is_priced, now=self.clock()
        )
        return reason is None


def open_judge(settings: KnowledgeSettings, *, tenants: Tenants, budgets: Budgets, clock: Clock) -> ClaimJudge | None:
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
    price = settings.model_prices.get(settings.checker_model)
    allowance = Allowance(
        tenants=tenants,
        budgets=budgets,
        is_priced=price is not None,
        daily_budget=settings.model_daily_budget,
        clock=clock,
    )
    breaker = Breaker(seconds=monotonic)
    return ClaimJudge(OpenAiEndpoint(place), breaker=breaker, may_ask=allowance.may_ask, price=price)
