"""Say which limits a call stands under, and tell its caller what is left of them."""

from typing import Final

from fastapi import Request
from starlette.datastructures import MutableHeaders
from starlette.types import Message, Scope

from bff.adapters.customers import Customer
from bff.adapters.limits import Limit, Limits, RateLimitedError, Spent, network_of, policy_header, state_header
from bff.settings import BffSettings
from contracts.tenants import Tenant

_ASKS: Final = frozenset({"ask", "retryAttempt"})
_STATE: Final = "youju.limits"


class Limiting:
    """Counts the calls of customers against the limits of the installation and of their tenant."""

    def __init__(self, limits: Limits, settings: BffSettings) -> None:
        """Take the numbers from the settings."""
        self._limits = limits
        self._settings = settings

    async def count_session(self, request: Request, tenant: str) -> None:
        """Count a guest session. Errors: RateLimitedError, UnavailableError."""
        key = (tenant, address_of(request))
        await self._spend(request, Limit(policy="sessions", per_minute=self._settings.sessions_per_minute, key=key))

    async def count_call(self, request: Request, customer: Customer, tenant: Tenant) -> None:
        """Count a call of a customer: the narrowest limit first, so that one customer cannot use up all of a tenant.

        Errors: RateLimitedError, UnavailableError.
        """
        settings = self._settings
        mine = (customer.tenant, customer.customer)
        if operation_of(request) not in _ASKS:
            await self._spend(request, Limit(policy="calls", per_minute=settings.calls_per_minute, key=mine))
            return
        await self._spend(request, Limit(policy="asks", per_minute=settings.asks_per_minute, key=mine))
        if customer.is_guest:
            # A guest can open one session after the other; the address stays.
            key, per_minute = (customer.tenant, address_of(request)), settings.asks_per_minute_and_address
            await self._spend(request, Limit(policy="address", per_minute=per_minute, key=key))
        if tenant.asks_per_minute is not None:
            limit = Limit(policy="tenant", per_minute=tenant.asks_per_minute, key=(customer.tenant,))
            await self._spend(request, limit)

    async def _spend(self, request: Request, limit: Limit) -> None:
        try:
            spent = await self._limits.spend(limit)
        except RateLimitedError as refused:
            _note(request.scope, refused.spent)
            raise
        if spent is not None:
            _note(request.scope, spent)


def address_of(request: Request) -> str:
    """Name the network of whoever calls. The server believes `X-Forwarded-For` of trusted proxies alone."""
    return network_of(request.client.host if request.client else "")


def operation_of(request: Request) -> str | None:
    """Name the operation a request was routed to."""
    return getattr(request.scope.get("route"), "operation_id", None)


def tell_limits(scope: Scope, message: Message) -> None:
    """Add what is left of the limits to the head of an answer; a tenant's own stays between us and the tenant."""
    spent = tuple(each for each in scope.get(_STATE, ()) if each.policy != "tenant")
    if spent:
        headers = MutableHeaders(scope=message)
        headers["RateLimit-Policy"] = policy_header(spent)
        headers["RateLimit"] = state_header(spent)


def _note(scope: Scope, spent: Spent) -> None:
    scope.setdefault(_STATE, []).append(spent)
