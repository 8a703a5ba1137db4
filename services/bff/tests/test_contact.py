"""How a customer can be reached goes from a verified token to the order for a ticket, as far as the tenant says."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from sqlalchemy import text

from bff.adapters.clients import Clients
from contracts.ids import uuid7
from runtime.http import trust
from services.bff.tests.client import KEY
from services.bff.tests.conftest import add_tenant
from services.bff.tests.issuing import AUDIENCE, ISSUER, Issuer
from services.bff.tests.serving import served

pytestmark = pytest.mark.store

CLAIMS = {"name": "李小龙", "email": "li@home.example", "phone_number": "13800138000"}


@pytest.fixture
async def issuer() -> AsyncIterator[tuple[Issuer, str]]:
    made = Issuer()
    async with served(made.app()) as url:
        yield made, url


async def _ask(http: httpx.AsyncClient, question: str) -> str:
    conversation = (await http.post("/v1/conversations")).raise_for_status().json()["conversationId"]
    path = f"/v1/conversations/{conversation}/attempts"
    attempt = (await http.post(path, json={"question": question})).raise_for_status().json()["attemptId"]
    return f"{path}/{attempt}"


async def _contacts(clients: Clients, tenant: str) -> list[object]:
    async with clients.database.transaction(tenant) as connection:
        found = "SELECT data->'contact' FROM outbox WHERE type = 'youju.create_ticket.v1' ORDER BY created_at"
        return list((await connection.execute(text(found))).scalars())


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [([], None), (["email", "phone"], {"name": None, "email": "li@home.example", "phone": "13800138000"})],
)
async def test_a_wish_and_a_rule_bring_what_the_tenant_allows(
    bff_url: str,
    issuer: tuple[Issuer, str],
    tenants_file: Path,
    clients: Clients,
    allowed: list[str],
    expected: object,
) -> None:
    issued = f"{ISSUER}/{issuer[1].rpartition(':')[2]}"
    customers = {"issuer": issued, "audience": AUDIENCE, "jwks_url": f"{issuer[1]}/keys"}
    rules = {"auto_escalate": ["ESCALATION_TOPIC"], "contact_in_tickets": allowed}
    tenant = add_tenant(tenants_file, customers=customers, **rules)
    headers = {"Authorization": f"Bearer {issuer[0].sign(iss=issued, **CLAIMS)}"}

    async with httpx.AsyncClient(base_url=bff_url, headers=headers, trust_env=False, verify=trust()) as http:
        wished = await _ask(http, "answer")
        (await http.post(f"{wished}/escalations", json={}, headers={KEY: uuid7().hex})).raise_for_status()
        await _ask(http, "complaint")

    contacts = await _contacts(clients, tenant)
    assert contacts == [expected, expected]
    async with clients.database.transaction(tenant) as connection:
        kept = (await connection.execute(text("SELECT contact FROM attempt"))).scalars().all()
    assert all((each is None) == (not allowed) for each in kept)
