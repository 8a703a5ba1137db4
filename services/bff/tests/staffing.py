"""Members of staff who talk to the served bff."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx

from contracts.service_token import StaffClaims, StaffRole
from runtime.http import trust
from runtime.tokens import private_file, read_keys, sign


def staff_token(keys_directory: Path, tenant: str, *roles: StaffRole) -> str:
    claims = StaffClaims(tenant=tenant, actor="somebody", roles=roles).model_dump()
    keys = read_keys(private_file(keys_directory, "staff"))
    return sign(keys, claims, audience="staff", now=datetime.now(UTC), lifetime=timedelta(minutes=5))


@asynccontextmanager
async def open_staff(
    bff_url: str, keys_directory: Path, tenant: str, *roles: StaffRole
) -> AsyncGenerator[httpx.AsyncClient]:
    headers = {"Authorization": f"Bearer {staff_token(keys_directory, tenant, *roles)}"}
    async with httpx.AsyncClient(
        base_url=bff_url, headers=headers, timeout=60, trust_env=False, verify=trust()
    ) as client:
        yield client
