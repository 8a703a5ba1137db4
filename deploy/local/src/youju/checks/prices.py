"""Check that what tenants may spend on models can be counted: a model without a price is never asked under a budget."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from contracts.tenants import Tenant
from knowledge.settings import KnowledgeSettings
from runtime.settings import SettingsError, load_settings
from runtime.tenants import read_tenants
from youju.checks.finding import Finding

_SUBJECT = "model prices"


def check_prices(settings: Mapping[str, str]) -> Iterator[Finding]:
    """Name the models that a tenant's budget keeps from being asked; nothing where no tenant has a budget for any."""
    try:
        read = load_settings(KnowledgeSettings)
        tenants = read_tenants(Path(settings["YOUJU_TENANTS_FILE"])).tenants
    except SettingsError:
        # The lines on settings and tenants say what is wrong with them.
        return
    held = {key: wanted for key, tenant in tenants.items() if (wanted := _under_budget(tenant, read))}
    unpriced = {key: lacking for key, wanted in held.items() if (lacking := sorted(wanted - read.model_prices.keys()))}
    for key, lacking in unpriced.items():
        yield Finding(
            _SUBJECT,
            f"{key} has a daily budget, and {' and '.join(lacking)} no price: never asked for it",
            "name the price in YOUJU_KNOWLEDGE_MODEL_PRICES, or take the budget away",
        )
    if held and not unpriced:
        yield Finding(_SUBJECT, "every model that has a budget has a price")


def _under_budget(tenant: Tenant, settings: KnowledgeSettings) -> set[str]:
    """Name the models that a tenant's daily budget decides about."""
    if tenant.writer_daily_budget is None and settings.model_daily_budget is None:
        return set()
    wanted: list[str | None] = []
    if tenant.writer == "openai" and settings.model_base_url is not None:
        wanted += [settings.model_name, settings.model_fallback_name]
    if tenant.second_opinion and settings.checker_base_url is not None:
        wanted.append(settings.checker_model)
    return {name for name in wanted if name}
