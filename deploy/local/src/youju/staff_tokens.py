"""Sign tokens for members of staff with the key set of this installation."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Final

from contracts.service_token import StaffClaims, StaffRole
from runtime.clock import utc_now
from runtime.tokens import private_file, read_keys, sign
from youju.trouble import Trouble

AUDIENCE: Final = "staff"


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
