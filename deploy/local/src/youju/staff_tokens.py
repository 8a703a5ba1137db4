"""Sign tokens for members of staff with the key set of this installation."""

from collections.abc import Generator, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Final

import httpx

from contracts.service_token import StaffClaims, StaffRole
from runtime.clock import utc_now
from runtime.tokens import private_file, read_keys, sign
from youju.trouble import Trouble

AUDIENCE: Final = "staff"
# Long enough for one call with the largest body and a clock that is a little off.
_LIFETIME: Final = timedelta(minutes=5)


def staff_token(keys: Path, *, tenant: str, actor: str, roles: Sequence[StaffRole], lifetime: timedelta) -> str:
    """Sign a token for one tenant.

    Errors: Trouble when the installation has no keys yet.
    """
    try:
        signing = read_keys(private_file(keys, "staff"))
    except ValueError as missing:
        raise Trouble(f"There is no staff key in {keys} yet; `make up` makes it.") from missing
    claims = StaffClaims(tenant=tenant, actor=actor, roles=tuple(roles))
    return sign(signing, claims.model_dump(), audience=AUDIENCE, now=utc_now(), lifetime=lifetime)


class StaffAuth(httpx.Auth):
    """Signs a token of its own for every call, so that no import is longer than its token lives."""

    def __init__(self, keys: Path, *, tenant: str, actor: str, roles: Sequence[StaffRole]) -> None:
        """Take whose token it is. Errors: Trouble when the installation has no keys yet."""
        self._sign = partial(staff_token, keys, tenant=tenant, actor=actor, roles=roles, lifetime=_LIFETIME)
        self._sign()

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the token to a call."""
        request.headers["Authorization"] = f"Bearer {self._sign()}"
        yield request
