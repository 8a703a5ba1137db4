"""Know customers, and issue the tokens of those we know nothing about."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from contracts.errors import UnauthenticatedError
from contracts.ids import IdSource, printed
from contracts.messages import TicketContact
from contracts.service_token import PUBLIC_SEGMENT
from runtime.clock import Clock
from runtime.tokens import Keys, sign, verify

AUDIENCE: Final = "customer"
TOKEN_TYPE: Final = "Bearer"  # noqa: S105 - the name of the scheme, not a token
_GUEST: Final = "guest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Customer:
    """Who asks. Segments, facts and contact come only from a verified token; guests are `public` and bring none."""

    tenant: str
    customer: str
    channel: str
    segments: tuple[str, ...]
    facts: dict[str, str]
    is_guest: bool = False
    contact: TicketContact | None = None


@dataclass(frozen=True, slots=True)
class GuestToken:
    """A token for somebody we know nothing about."""

    token: str
    expires_at: datetime


class GuestIssuer:
    """Issues and checks the tokens of guests."""

    def __init__(self, keys: Keys, *, clock: Clock, new_id: IdSource, lifetime: timedelta) -> None:
        """Sign with the newest of the guest keys."""
        self._keys = keys
        self._clock = clock
        self._new_id = new_id
        self._lifetime = lifetime

    def issue(self, *, tenant: str, channel: str) -> GuestToken:
        """Make a token for a new customer of a tenant's public channel."""
        now = self._clock()
        claims = {"sub": printed("cus", self._new_id()), "tenant": tenant, "channel": channel, "kind": _GUEST}
        token = sign(self._keys, claims, audience=AUDIENCE, now=now, lifetime=self._lifetime)
        return GuestToken(token, now + self._lifetime)

    def issued(self, key_id: str | None) -> bool:
        """Say whether a key is one of ours, so that nobody else can have signed with it."""
        return key_id in self._keys.verifying

    def customer_of(self, token: str) -> Customer:
        """Check a token. Errors: UnauthenticatedError."""
        claims = verify(self._keys, token, audience=AUDIENCE)
        names = [claims.get(name) for name in ("tenant", "sub", "channel")]
        tenant, customer, channel = (name if isinstance(name, str) else "" for name in names)
        if claims.get("kind") != _GUEST or not (tenant and customer and channel):
            raise UnauthenticatedError
        return Customer(
            tenant=tenant, customer=customer, channel=channel, segments=(PUBLIC_SEGMENT,), facts={}, is_guest=True
        )
