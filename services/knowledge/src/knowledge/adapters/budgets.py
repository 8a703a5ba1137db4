"""Keeps what models cost each tenant today below its budget, from what is stored of attempts and evaluation runs.

A process reads it at most every few seconds and adds its own attempts meanwhile; several processes may together go past
a budget by what they spend in that time. No session is open while a model is asked.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Final, Literal

from contracts.errors import YoujuError
from contracts.tenants import Tenant
from runtime.clock import start_of_day

SpentSince = Callable[[str, datetime], Awaitable[Decimal]]
"""Adds up what models have cost a tenant since a moment."""

OverBudget = Literal["budget_spent", "budget_unknown"]

_GOOD_FOR_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    since: datetime
    cost: Decimal
    read_at: float


class Budgets:
    """What each tenant has spent, as far as this process knows."""

    def __init__(self, spent_since: SpentSince, *, seconds: Callable[[], float]) -> None:
        """Know nothing yet. `seconds` is a clock that only goes forward."""
        self._spent_since = spent_since
        self._seconds = seconds
        self._known: dict[str, _Known] = {}

    async def stands_against(
        self, key: str, tenant: Tenant, *, usual: Decimal | None, are_priced: bool, now: datetime
    ) -> OverBudget | None:
        """Say why a tenant may spend no more on models today; None where it may.

        `usual` is the budget of a tenant that names none; `are_priced` tells whether what is to be asked has a price.
        Errors: none; what cannot be counted is not spent.
        """
        budget = usual if tenant.writer_daily_budget is None else tenant.writer_daily_budget
        if budget is None:
            return None
        if not are_priced:
            return "budget_unknown"
        try:
            spent = await self.spent(key, since=start_of_day(now, tenant.time_zone))
        except YoujuError:
            return "budget_unknown"
        return "budget_spent" if spent >= budget else None

    async def spent(self, tenant: str, *, since: datetime) -> Decimal:
        """Give what a tenant has spent since the start of its day. Errors: those of the log."""
        known = self._known.get(tenant)
        if known is None or known.since != since or self._seconds() - known.read_at >= _GOOD_FOR_SECONDS:
            read_at = self._seconds()
            cost = await self._spent_since(tenant, since)
            known = self._known[tenant] = _Known(since=since, cost=cost, read_at=read_at)
        return known.cost

    def add(self, tenant: str, cost: Decimal) -> None:
        """Add an attempt that this process has just closed."""
        known = self._known.get(tenant)
        if known is not None:
            self._known[tenant] = replace(known, cost=known.cost + cost)
