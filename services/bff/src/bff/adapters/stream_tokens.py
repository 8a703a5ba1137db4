"""Issue and check stream tokens: a minute long, for the events of one attempt, for readers that can send no header."""

from datetime import datetime, timedelta
from typing import Final

from bff.adapters.customers import Customer
from contracts.errors import UnauthenticatedError
from runtime.clock import Clock
from runtime.tokens import Keys, sign, verify

_AUDIENCE: Final = "stream"
_LIFETIME: Final = timedelta(seconds=60)


class StreamTokens:
    """Tokens that stand in an address, where others may read them: so they open little, and not for long."""

    def __init__(self, keys: Keys, *, clock: Clock) -> None:
        """Sign with the newest of the guest keys, which every process has."""
        self._keys = keys
        self._clock = clock

    def issue(self, customer: Customer, attempt_id: str) -> tuple[str, datetime]:
        """Make a token for the events of an attempt of the customer's own, and say when it ends."""
        now = self._clock()
        claims = {
            "sub": customer.customer,
            "tenant": customer.tenant,
            "channel": customer.channel,
            "attempt": attempt_id,
            "guest": customer.is_guest,
        }
        return sign(self._keys, claims, audience=_AUDIENCE, now=now, lifetime=_LIFETIME), now + _LIFETIME

    def customer_of(self, token: str, attempt_id: str) -> Customer:
        """Say whose a token is; they see no more with it than the events. Errors: UnauthenticatedError."""
        claims = verify(self._keys, token, audience=_AUDIENCE)
        if claims.get("attempt") != attempt_id:
            raise UnauthenticatedError
        return Customer(
            tenant=str(claims["tenant"]),
            customer=str(claims["sub"]),
            channel=str(claims["channel"]),
            segments=(),
            facts={},
            is_guest=claims["guest"] is True,
        )
