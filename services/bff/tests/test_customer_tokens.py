import logging
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import text

from bff.adapters.clients import Clients
from runtime.http import trust
from services.bff.tests.conftest import add_tenant
from services.bff.tests.issuing import AUDIENCE, ISSUER, Issuer, bad_tokens, rsa_key
from services.bff.tests.serving import served

pytestmark = pytest.mark.store


@pytest.fixture
async def issuer() -> AsyncIterator[tuple[Issuer, str]]:
    made = Issuer()
    async with served(made.app()) as url:
        yield made, url


@pytest.fixture
def shop(issuer: tuple[Issuer, str], tenants_file: Path) -> str:
    """Add a tenant that trusts the issuer."""
    claims = {"segments_claim": "segments", "facts_claim": "facts", "channel_claim": "channel"}
    issued = f"{ISSUER}/{issuer[1].rpartition(':')[2]}"
    algorithms = ["RS256", "ES256", "EdDSA"]
    customers = {"issuer": issued, "audience": AUDIENCE, "jwks_url": f"{issuer[1]}/keys", "algorithms": algorithms}
    listed = {"facts": ["orderStatus", "channel"]}
    return add_tenant(tenants_file, channels=["web", "app"], customers={**customers, **claims, **listed})


@pytest.fixture
def issued(issuer: tuple[Issuer, str]) -> str:
    return f"{ISSUER}/{issuer[1].rpartition(':')[2]}"


@pytest.fixture
async def http(bff_url: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=bff_url, trust_env=False, verify=trust()) as client:
        yield client


async def post(http: httpx.AsyncClient, token: str) -> httpx.Response:
    return await http.post("/v1/conversations", headers={"Authorization": f"Bearer {token}"})


async def test_a_customer_of_the_issuer_has_what_the_claims_say(
    http: httpx.AsyncClient, issuer: tuple[Issuer, str], shop: str, issued: str, clients: Clients
) -> None:
    facts = {"orderStatus": "paid", "creditScore": 712}
    token = issuer[0].sign(iss=issued, segments="vip members", facts=facts, channel="app")
    conversation = (await post(http, token)).json()["conversationId"]

    await http.post(
        f"/v1/conversations/{conversation}/attempts",
        json={"question": "answer"},
        headers={"Authorization": f"Bearer {token}"},
    )

    async with clients.database.transaction(shop) as connection:
        row = (await connection.execute(text("SELECT customer, channel, segments, facts FROM attempt"))).one()
    assert tuple(row) == ("customer-17", "app", ["public", "vip", "members"], {"orderStatus": "paid"})


@pytest.mark.parametrize("algorithm", ["ES256", "EdDSA"])
async def test_other_kinds_of_keys_serve_as_well(
    http: httpx.AsyncClient, issuer: tuple[Issuer, str], shop: str, issued: str, algorithm: str
) -> None:
    assert shop
    key = ec.generate_private_key(ec.SECP256R1()) if algorithm == "ES256" else Ed25519PrivateKey.generate()
    issuer[0].keys["other"] = key

    assert (await post(http, issuer[0].sign(key_id="other", algorithm=algorithm, iss=issued))).status_code == 201


async def test_anything_else_is_refused_and_logged_without_the_token(
    http: httpx.AsyncClient, tenants_file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made = Issuer()
    async with served(made.app()) as url:
        customers = {"issuer": ISSUER, "audience": AUDIENCE, "jwks_url": f"{url}/keys", "tenant_claim": "shop"}
        claims = {"segments_claim": "segments", "facts_claim": "facts", "channel_claim": "channel"}
        tenant = add_tenant(tenants_file, customers={**customers, **claims})
        # So that every bad token is bad in one way only.
        made.usual["shop"] = tenant
        good = await post(http, made.sign())
        tokens = bad_tokens(made)
        with caplog.at_level(logging.INFO):
            answers = {name: await post(http, token) for name, token in tokens.items()}

    assert good.status_code == 201
    assert {name: answer.status_code for name, answer in answers.items()} == dict.fromkeys(tokens, 401)
    assert {answer.json()["code"] for answer in answers.values()} == {"UNAUTHENTICATED"}
    assert {answer.headers["content-type"] for answer in answers.values()} == {"application/problem+json"}
    assert not any(token in answers[name].text or token in caplog.text for name, token in tokens.items())


async def test_a_key_rotates_without_a_gap(
    http: httpx.AsyncClient, issuer: tuple[Issuer, str], shop: str, issued: str
) -> None:
    assert shop
    issuer[0].keys = {"old": rsa_key(), "new": rsa_key()}

    answers = [await post(http, issuer[0].sign(key_id=each, iss=issued)) for each in ("old", "new", "old")]

    assert [answer.status_code for answer in answers] == [201, 201, 201]
    assert issuer[0].asked == 1


async def test_while_an_issuer_is_unknown_and_down_its_customers_try_again(
    http: httpx.AsyncClient, issuer: tuple[Issuer, str], shop: str, issued: str
) -> None:
    assert shop
    issuer[0].status = 500

    answer = await post(http, issuer[0].sign(iss=issued))

    assert (answer.status_code, answer.json()["code"], "retry-after" in answer.headers) == (503, "UNAVAILABLE", True)


async def test_a_page_of_an_origin_that_is_not_listed_is_forbidden(
    http: httpx.AsyncClient, issuer: tuple[Issuer, str], shop: str, issued: str
) -> None:
    assert shop
    headers = {"Authorization": f"Bearer {issuer[0].sign(iss=issued)}", "Origin": "https://evil.example"}

    answer = await http.post("/v1/conversations", headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (403, "FORBIDDEN")
