"""Customers whom a tenant knows: their tokens, and whoever issues them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

import httpx
import yaml

from runtime.http import trust
from services.bff.tests.issuing import AUDIENCE, ISSUER, Issuer
from services.bff.tests.serving import served
from tests.support.customer import TIMEOUT_SECONDS, Customer
from tests.support.system import System

_SEGMENTS: Final = "segments"


@asynccontextmanager
async def new_member(system: System, tenant: str, *segments: str) -> AsyncGenerator[Customer]:
    """Add a tenant that trusts an issuer of its own, and give a customer whose token names these audiences."""
    issuer = Issuer()
    async with served(issuer.app()) as url:
        _trust(system, tenant, {"issuer": f"{ISSUER}/{tenant}", "audience": AUDIENCE, "jwks_url": f"{url}/keys"})
        token = issuer.sign(iss=f"{ISSUER}/{tenant}", segments=list(segments))
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(
            base_url=system.bff, timeout=TIMEOUT_SECONDS, trust_env=False, verify=trust(), headers=headers
        ) as client:
            yield Customer(client)


def _trust(system: System, tenant: str, customers: dict[str, str]) -> None:
    file = system.home / "tenants.yaml"
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    content["tenants"][tenant] = {"name": tenant, "customers": customers | {"segments_claim": _SEGMENTS}}
    draft = file.with_suffix(".draft")
    draft.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
    draft.replace(file)
