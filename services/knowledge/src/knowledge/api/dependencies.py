"""Who calls, and with what we answer: the identities and resources every route of knowledge starts from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Protocol, TypeVar

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import ValidationError

from contracts.errors import ForbiddenError, NotFoundError, UnauthenticatedError
from contracts.ids import IdSource
from contracts.service_token import AUDIENCE_KNOWLEDGE, ServiceClaims, StaffClaims, StaffRole
from contracts.tenants import Tenant
from knowledge.retrieval.searching import Searcher
from knowledge.versions.acts import Acting
from runtime.clock import Clock
from runtime.database import Database
from runtime.sealing import KeyRing
from runtime.tenants import TenantDirectory
from runtime.tokens import Keys, verify

AUDIENCE_STAFF = "staff"

ClaimsT = TypeVar("ClaimsT", ServiceClaims, StaffClaims)

_bearer = HTTPBearer(auto_error=False, description="A service token of bff, or a staff token")


class Enqueue(Protocol):
    """Hands the next step of an import to a worker."""

    async def __call__(self, *, tenant: str, import_id: str) -> None:
        """Enqueue. Errors: none; when the broker is down the pulse asks again."""
        ...


class Warm(Protocol):
    """Has what a tenant's searches read loaded into memory."""

    async def __call__(self, *, tenant: str) -> None:
        """Ask for it. Errors: none; without it the first questions are only slower."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """What the process opened at its start."""

    database: Database
    tenants: TenantDirectory
    searcher: Searcher
    enqueue: Enqueue
    warm: Warm
    service_keys: Keys
    staff_keys: Keys
    clock: Clock
    new_id: IdSource
    ring: KeyRing | None = None
    """What waiting files and originals are encrypted with."""


def resources(request: Request) -> Resources:
    """Give the resources of this process."""
    found: Resources = request.app.state.resources
    return found


WithResources = Annotated[Resources, Depends(resources)]
Bearer = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A customer's call through bff: its verified claims and its tenant."""

    claims: ServiceClaims
    tenant: Tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Staff:
    """A member of staff: verified claims and tenant."""

    claims: StaffClaims
    tenant: Tenant


def acting(staff: Staff) -> Acting:
    """Say who acts, for the audit trail."""
    claims = staff.claims
    return Acting(tenant=claims.tenant, actor=claims.actor, roles=claims.roles)


def service_caller(request: Request, bearer: Bearer, held: WithResources) -> Caller:
    """Check a service token for exactly this request.

    Errors: UnauthenticatedError for a missing, foreign or stale token or one for another request; NotFoundError for a
    tenant this installation does not have.
    """
    claims = _claims(ServiceClaims, held.service_keys, bearer, audience=AUDIENCE_KNOWLEDGE)
    if (claims.method, claims.path) != (request.method, request.url.path):
        raise UnauthenticatedError
    return Caller(claims=claims, tenant=_tenant(held, claims.tenant))


def staff_with(*roles: StaffRole) -> Callable[..., Staff]:
    """Make a dependency that lets members of staff with one of these roles in.

    Errors: UnauthenticatedError without a valid staff token, ForbiddenError without the role, NotFoundError for a
    tenant this installation does not have.
    """

    def staff(bearer: Bearer, held: WithResources) -> Staff:
        claims = _claims(StaffClaims, held.staff_keys, bearer, audience=AUDIENCE_STAFF)
        tenant = _tenant(held, claims.tenant)
        if not set(roles) & set(claims.roles):
            raise ForbiddenError(f"This needs the role {' or '.join(roles)}.")
        return Staff(claims=claims, tenant=tenant)

    return staff


def _claims(kind: type[ClaimsT], keys: Keys, bearer: HTTPAuthorizationCredentials | None, *, audience: str) -> ClaimsT:
    if bearer is None:
        raise UnauthenticatedError
    try:
        return kind.model_validate(verify(keys, bearer.credentials, audience=audience))
    except ValidationError as malformed:
        raise UnauthenticatedError from malformed


def _tenant(held: Resources, key: str) -> Tenant:
    tenant = held.tenants.find(key)
    if tenant is None:
        raise NotFoundError("This installation has no such tenant.")
    return tenant
