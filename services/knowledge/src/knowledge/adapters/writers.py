"""Chooses who words a tenant's answers: the model it wants, or the extractive writer where it cannot have it."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from time import monotonic
from typing import Final, Protocol

from contracts.tenants import Tenant
from knowledge.adapters.breaker import Breaker
from knowledge.adapters.budgets import Budgets
from knowledge.adapters.model_measures import PassedOver, Rank, count_passed_over, show_breaker
from knowledge.adapters.openai_writer import OpenAiWriter, Patience, Route
from knowledge.answering.draft import Writer
from knowledge.answering.log import Closing
from knowledge.answering.prompting import PROMPT_VERSION
from knowledge.settings import KnowledgeSettings
from runtime.clock import Clock
from runtime.logging import get_logger

_log: Final = get_logger("writers")


class Tenants(Protocol):
    """Knows what each tenant wants."""

    def find(self, key: str) -> Tenant | None:
        """Give the tenant of that key, or None."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The models of an installation, and what they may cost a tenant on a day unless it says otherwise."""

    writer: OpenAiWriter
    identity: str
    are_priced: bool
    daily_budget: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Writers:
    """Both writers, with what decides between them. `models` is None where the installation names no endpoint."""

    extractive: Writer
    models: Models | None
    tenants: Tenants
    budgets: Budgets
    clock: Clock

    async def choose(self, tenant: str) -> Writer:
        """Give the writer of a tenant's next answer. Errors: none; in doubt the extractive writer answers."""
        known = self.tenants.find(tenant)
        if known is None or known.writer == self.extractive.name:
            return self.extractive
        if self.models is None:
            return self._pass_over(tenant, "no_model")
        usual, are_priced = self.models.daily_budget, self.models.are_priced
        reason = await self.budgets.stands_against(tenant, known, usual=usual, are_priced=are_priced, now=self.clock())
        return self.models.writer if reason is None else self._pass_over(tenant, reason)

    def settle(self, tenant: str, closing: Closing) -> None:
        """Count what an attempt has cost."""
        used = (*closing.opinions, *(draft.usage for draft in closing.drafts if draft.usage is not None))
        costs = (usage.cost for usage in used)
        self.budgets.add(tenant, sum((cost for cost in costs if cost is not None), Decimal(0)))

    def identity(self, tenant: str) -> str:
        """Name what words this tenant's answers, for the fingerprint of the settings."""
        known = self.tenants.find(tenant)
        wants_model = known is not None and known.writer != self.extractive.name
        return self.models.identity if wants_model and self.models is not None else self.extractive.name

    async def close(self) -> None:
        """Give the connections of the models back."""
        if self.models is not None:
            await self.models.writer.close()

    def _pass_over(self, tenant: str, reason: PassedOver) -> Writer:
        count_passed_over(reason)
        _log.warning("writer_passed_over", tenant=tenant, reason=reason)
        return self.extractive


def open_models(settings: KnowledgeSettings) -> Models | None:
    """Open the models that the settings name; None where they name no endpoint."""
    if settings.model_base_url is None:
        return None
    names = [settings.model_name, *([settings.model_fallback_name] if settings.model_fallback_name else [])]
    ranks: tuple[Rank, Rank] = ("primary", "fallback")
    routes = tuple(_route(settings, rank, name) for rank, name in zip(ranks, names, strict=False))
    patience = Patience(
        first_byte_seconds=settings.model_first_byte_seconds,
        whole_seconds=settings.model_seconds,
        output_tokens=settings.model_output_tokens,
    )
    return Models(
        writer=OpenAiWriter(routes, patience=patience),
        identity="/".join(("openai", *names, PROMPT_VERSION)),
        are_priced=all(name in settings.model_prices for name in names),
        daily_budget=settings.model_daily_budget,
    )


def _route(settings: KnowledgeSettings, rank: Rank, name: str) -> Route:
    # Loaded only where a model is named: the client costs more than a second of every process's start.
    from knowledge.adapters.openai_endpoint import ModelPlace, OpenAiEndpoint  # noqa: PLC0415

    is_first = rank == "primary"
    url = settings.model_base_url if is_first else settings.model_fallback_base_url or settings.model_base_url
    # A key is sent to the endpoint it is for, and to no other.
    same_place = settings.model_fallback_base_url is None
    other = settings.model_fallback_api_key or (settings.model_api_key if same_place else None)
    key = settings.model_api_key if is_first else other
    place = ModelPlace(
        base_url=url or "",
        model=name,
        api_key=key.get_secret_value() if key else None,
        output_tokens=settings.model_output_tokens,
        output_tokens_field=settings.model_output_tokens_field,
        temperature=settings.model_temperature,
        seconds=settings.model_seconds,
    )
    return Route(
        rank=rank,
        endpoint=OpenAiEndpoint(place),
        breaker=Breaker(seconds=monotonic, show_open=_shower(rank)),
        price=settings.model_prices.get(name),
    )


def _shower(rank: Rank) -> Callable[[bool], None]:
    def show(is_open: bool) -> None:  # noqa: FBT001 - a callback with one argument
        show_breaker(rank, is_open=is_open)
        _log.warning("breaker_changed", model=rank, is_open=is_open)

    return show
