"""Know customers by the tokens of their tenant's own issuer.

Source: RFC 7519 (JWT), RFC 8725 (JWT best current practices), RFC 9068 (claims of access tokens).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Final, TypeVar

import jwt
from pydantic import AfterValidator, Field, StringConstraints, TypeAdapter, ValidationError

from bff.adapters.customers import Customer
from bff.adapters.key_sets import KeySets, PublicKey
from bff.escalations.contact import contact_of
from contracts.errors import UnauthenticatedError
from contracts.service_token import PUBLIC_SEGMENT
from contracts.tenants import CustomerTokens, Tenant
from runtime.logging import get_logger

_LONGEST_TOKEN: Final = 8192
# A token of an issuer must not pass for one of our guests, whose ids look like this.
_GUEST_ID: Final = re.compile(r"cus_[0-9a-f]{32}")
_REQUIRED: Final = ("exp", "iat", "iss", "aud", "sub")

Claims = Mapping[str, Any]  # JSON of an issuer
ParsedT = TypeVar("ParsedT")


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("holds what cannot be printed")
    return text


Name = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=200), AfterValidator(_printable)]
_NAME: Final = TypeAdapter[str](Name)
_NAMES: Final = TypeAdapter[tuple[str, ...]](Annotated[tuple[Name, ...], Field(max_length=50)])
_FACTS: Final = TypeAdapter[dict[str, str]](Annotated[dict[Name, Name], Field(max_length=20)])

AllTenants = Callable[[], Mapping[str, Tenant]]

_log = get_logger("tenant_tokens")


class TokenRefusedError(UnauthenticatedError):
    """A valid token is needed."""

    def __init__(self, reason: str) -> None:
        """Remember for the log why it was refused; whoever sent it is not told."""
        super().__init__()
        self.reason = reason


class TenantIssuers:
    """The issuers that tenants name in the tenants file."""

    def __init__(self, tenants: AllTenants, key_sets: KeySets) -> None:
        """Look at the tenants as they are at each token."""
        self._tenants = tenants
        self._key_sets = key_sets

    async def customer_of(self, token: str) -> Customer:
        """Check a token. Errors: UnauthenticatedError; UnavailableError while its issuer's keys cannot be had."""
        try:
            return await self._checked(token)
        except TokenRefusedError as refused:
            _log.info("token_refused", reason=refused.reason)
            raise

    async def _checked(self, token: str) -> Customer:
        if len(token) > _LONGEST_TOKEN:
            raise TokenRefusedError("too long")
        head, unproven = _unproven(token)
        key, tenant, tokens = self._trusting(unproven)
        algorithm = head.get("alg")
        if algorithm not in tokens.algorithms:
            raise TokenRefusedError("algorithm")
        public = await self._key_sets.find(tokens.jwks_url, str(head.get("kid")))
        if public is None:
            raise TokenRefusedError("unknown key")
        claims = _proven(token, public, str(algorithm), tokens)
        return _customer(key, tenant, tokens, claims)

    def _trusting(self, unproven: Claims) -> tuple[str, Tenant, CustomerTokens]:
        for key, tenant, tokens in self._candidates(unproven):
            if tokens.tenant_claim is None or unproven.get(tokens.tenant_claim) == key:
                return key, tenant, tokens
        raise TokenRefusedError("issuer, audience or tenant")

    def _candidates(self, unproven: Claims) -> Iterator[tuple[str, Tenant, CustomerTokens]]:
        named = unproven.get("aud")
        audiences = _parsed(_NAMES, [named] if isinstance(named, str) else named, "audience")
        for key, tenant in self._tenants().items():
            tokens = tenant.customers
            if tokens is not None and tokens.issuer == unproven.get("iss") and tokens.audience in audiences:
                yield key, tenant, tokens


def _unproven(token: str) -> tuple[Claims, Claims]:
    """Read a token without believing it: only to know whose keys could prove it."""
    try:
        return jwt.get_unverified_header(token), jwt.decode(token, options={"verify_signature": False})
    except (jwt.InvalidTokenError, UnicodeError) as malformed:
        raise TokenRefusedError("malformed") from malformed


def _proven(token: str, public: PublicKey, algorithm: str, tokens: CustomerTokens) -> Claims:
    if public.algorithm not in (None, algorithm):
        raise TokenRefusedError("algorithm of the key")
    try:
        claims = jwt.decode(
            token,
            public.key,
            algorithms=[algorithm],
            audience=tokens.audience,
            issuer=tokens.issuer,
            leeway=tokens.skew_seconds,
            options={"require": list(_REQUIRED)},
        )
    except (jwt.PyJWTError, TypeError, ValueError) as refused:
        raise TokenRefusedError(type(refused).__name__) from refused
    if int(claims["exp"]) - int(claims["iat"]) > tokens.longest_life_seconds:
        raise TokenRefusedError("valid for too long")
    return claims


def _customer(key: str, tenant: Tenant, tokens: CustomerTokens, claims: Claims) -> Customer:
    subject = _parsed(_NAME, claims["sub"], "subject")
    if _GUEST_ID.fullmatch(subject):
        raise TokenRefusedError("subject")
    named = _claim(claims, tokens.channel_claim, tenant.channels[0])
    channel = _parsed(_NAME, named, "channel")
    if channel not in tenant.channels:
        raise TokenRefusedError("channel")
    segments = _claim(claims, tokens.segments_claim, ())
    # Some issuers write a list as words in one string, as `scope` is written.
    words = segments.split() if isinstance(segments, str) else segments
    return Customer(
        tenant=key,
        customer=subject,
        channel=channel,
        segments=tuple(dict.fromkeys((PUBLIC_SEGMENT, *_parsed(_NAMES, words, "segments")))),
        facts=_parsed(_FACTS, _listed(_claim(claims, tokens.facts_claim, {}), tokens.facts), "facts"),
        contact=contact_of(claims, tenant.contact_in_tickets),
    )


def _claim(claims: Claims, name: str | None, default: object) -> Any:  # as `Claims`
    found = None if name is None else claims.get(name)
    return default if found is None else found


def _listed(facts: Any, listed: tuple[str, ...] | None) -> Any:  # as `Claims`
    """Leave out what the tenant does not list, before it is looked at: an issuer may say more than concerns us."""
    if listed is None or not isinstance(facts, Mapping):
        return facts
    told: Claims = {**facts}
    return {key: told[key] for key in listed if key in told}


def _parsed(kind: TypeAdapter[ParsedT], value: object, reason: str) -> ParsedT:
    try:
        return kind.validate_python(value)
    except ValidationError as unfit:
        raise TokenRefusedError(reason) from unfit
