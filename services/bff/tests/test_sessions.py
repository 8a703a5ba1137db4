from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from bff.main import create_app
from bff.settings import BffSettings
from runtime.http import trust
from runtime.tokens import KeySet, add_key, private_file, public_file, read_keys, sign
from services.bff.tests.conftest import add_tenant
from services.bff.tests.serving import served

pytestmark = pytest.mark.store


@pytest.fixture
async def http(bff_url: str) -> object:
    async with httpx.AsyncClient(base_url=bff_url, trust_env=False, verify=trust()) as client:
        yield client


async def test_a_guest_gets_a_token_of_short_life(http: httpx.AsyncClient, tenant: str) -> None:
    answer = await http.post("/v1/sessions", json={"tenant": tenant, "channel": "web"})

    life = datetime.fromisoformat(answer.json()["expiresAt"]) - datetime.now(UTC)
    assert (answer.status_code, answer.json()["tokenType"]) == (201, "Bearer")
    assert timedelta(hours=1) < life <= timedelta(hours=2)


async def test_an_unknown_tenant_is_not_found(http: httpx.AsyncClient) -> None:
    answer = await http.post("/v1/sessions", json={"tenant": "nobody"})

    assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")


async def test_a_channel_that_the_tenant_does_not_have_is_refused(http: httpx.AsyncClient, tenant: str) -> None:
    answer = await http.post("/v1/sessions", json={"tenant": tenant, "channel": "pigeon"})

    assert (answer.status_code, "channel" in answer.json()["detail"]) == (400, True)


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, 201),
        ("https://shop.example", 201),
        ("https://evil.example", 403),
        ("null", 403),
        ("https://shop.example.evil", 403),
        ("http://[", 403),
    ],
)
async def test_only_listed_origins_may_open_a_session(
    http: httpx.AsyncClient, tenants_file: Path, origin: str | None, status: int
) -> None:
    tenant = add_tenant(tenants_file, allowed_origins=["https://shop.example"])

    answer = await http.post(
        "/v1/sessions", json={"tenant": tenant}, headers={} if origin is None else {"Origin": origin}
    )

    assert answer.status_code == status


async def test_the_page_of_the_same_host_needs_no_list(http: httpx.AsyncClient, tenant: str, bff_url: str) -> None:
    assert (await http.post("/v1/sessions", json={"tenant": tenant}, headers={"Origin": bff_url})).status_code == 201


async def test_one_address_opens_only_so_many_sessions(settings: BffSettings, tenant: str) -> None:
    few = settings.model_copy(update={"sessions_per_minute": 3})

    async with served(create_app(few)) as url, httpx.AsyncClient(base_url=url, trust_env=False, verify=trust()) as http:
        answers = [await http.post("/v1/sessions", json={"tenant": tenant}) for _ in range(8)]

    refused = answers[-1]
    assert (refused.status_code, refused.json()["code"]) == (429, "RATE_LIMITED")
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert [answer.status_code for answer in answers].count(201) in range(3, 7)  # the minute may turn in between


def claims(tenant: str) -> dict[str, object]:
    return {"sub": "cus_made_up", "tenant": tenant, "channel": "web", "kind": "guest"}


def bad_tokens(keys: KeySet, foreign: KeySet, tenant: str) -> dict[str, str]:
    now, hour = datetime.now(UTC), timedelta(hours=1)
    good = sign(keys, claims(tenant), audience="customer", now=now, lifetime=hour)
    head, body, signature = good.split(".")
    unnamed = replace(keys, signing=None if keys.signing is None else ("unknown", keys.signing[1]))
    return {
        "nonsense": "nonsense",
        "tampered": f"{head}.{body[:-2]}xx.{signature}",
        "unsigned": f"{head}.{body}.",
        "audience": sign(keys, claims(tenant), audience="knowledge", now=now, lifetime=hour),
        "expired": sign(keys, claims(tenant), audience="customer", now=now - 2 * hour, lifetime=hour),
        "future": sign(keys, claims(tenant), audience="customer", now=now + hour, lifetime=hour),
        "foreign key": sign(foreign, claims(tenant), audience="customer", now=now, lifetime=hour),
        "unknown key": sign(unnamed, claims(tenant), audience="customer", now=now, lifetime=hour),
        "unknown tenant": sign(keys, claims("nobody"), audience="customer", now=now, lifetime=hour),
        "no customer": sign(keys, claims(tenant) | {"sub": ""}, audience="customer", now=now, lifetime=hour),
        "no guest": sign(keys, claims(tenant) | {"kind": "staff"}, audience="customer", now=now, lifetime=hour),
    }


async def test_anything_but_a_guest_token_is_refused(
    http: httpx.AsyncClient, tenant: str, keys_directory: Path, tmp_path: Path
) -> None:
    add_key(private_file(tmp_path, "guest"), public_file(tmp_path, "guest"))
    keys = read_keys(private_file(keys_directory, "guest"))
    tokens = bad_tokens(keys, read_keys(private_file(tmp_path, "guest")), tenant)

    answers = {
        name: await http.post("/v1/conversations", headers={"Authorization": f"Bearer {token}"})
        for name, token in tokens.items()
    }

    assert {name: answer.status_code for name, answer in answers.items()} == dict.fromkeys(tokens, 401)
    assert {answer.headers["www-authenticate"] for answer in answers.values()} == {"Bearer"}
    assert not any(token and token in answers[name].text for name, token in tokens.items())
