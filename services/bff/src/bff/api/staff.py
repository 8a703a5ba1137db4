"""Know who a member of staff is, from the bearer token."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Final

from fastapi import Depends
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import ValidationError

from bff.api.edge import CurrentEdge
from contracts.errors import ForbiddenError, InvalidRequestError, UnauthenticatedError
from contracts.service_token import StaffClaims, StaffRole
from contracts.typed import is_typed
from runtime.tokens import verify

AUDIENCE: Final = "staff"

_bearer = HTTPBearer(auto_error=False, scheme_name="staff", description="A staff token")


def staff_with(*roles: StaffRole) -> Callable[..., Awaitable[StaffClaims]]:
    """Make a dependency that lets members of staff with one of these roles in.

    Errors: UnauthenticatedError without a valid staff token of a tenant we have, ForbiddenError without the role.
    """

    async def staff(
        edge: CurrentEdge, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
    ) -> StaffClaims:
        if credentials is None:
            raise UnauthenticatedError
        try:
            claims = StaffClaims.model_validate(verify(edge.staff_keys, credentials.credentials, audience=AUDIENCE))
        except ValidationError as malformed:
            raise UnauthenticatedError from malformed
        if edge.clients.tenants.find(claims.tenant) is None:
            raise UnauthenticatedError
        if not set(roles) & set(claims.roles):
            raise ForbiddenError(f"This needs the role {' or '.join(roles)}.")
        return claims

    return staff


Operator = Annotated[StaffClaims, Depends(staff_with("operator"))]
Reader = Annotated[StaffClaims, Depends(staff_with("owner", "publisher", "reviewer", "operator", "support"))]
Support = Annotated[StaffClaims, Depends(staff_with("operator", "support"))]


def typed(text: str, *, field: str) -> str:
    """Give back a name that somebody could have typed; no database holds any other. Errors: InvalidRequestError."""
    if not is_typed(text):
        raise InvalidRequestError(f"{field}: must not contain control characters.")
    return text
