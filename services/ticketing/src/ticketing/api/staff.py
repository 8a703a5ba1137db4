"""Know who a member of staff is, from the bearer token."""

from typing import Annotated, Final

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import ValidationError

from contracts.errors import ForbiddenError, UnauthenticatedError
from contracts.service_token import StaffClaims, StaffRole
from runtime.tokens import Keys, verify

AUDIENCE_STAFF: Final = "staff"
_DESK_ROLES: Final[frozenset[StaffRole]] = frozenset({"support", "operator"})

_bearer = HTTPBearer(auto_error=False, description="A staff token with the role `support` or `operator`")


def desk_staff(
    request: Request, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
) -> StaffClaims:
    """Give the claims of a member of staff who may work at the desk.

    Errors: UnauthenticatedError without a valid staff token, ForbiddenError without one of the desk's roles.
    """
    if credentials is None:
        raise UnauthenticatedError
    keys: Keys = request.app.state.staff_keys
    claims = _claims(verify(keys, credentials.credentials, audience=AUDIENCE_STAFF))
    if not _DESK_ROLES & set(claims.roles):
        raise ForbiddenError
    return claims


def _claims(body: dict[str, object]) -> StaffClaims:
    try:
        return StaffClaims.model_validate(body)
    except ValidationError as invalid:
        raise UnauthenticatedError from invalid


DeskStaff = Annotated[StaffClaims, Depends(desk_staff)]
