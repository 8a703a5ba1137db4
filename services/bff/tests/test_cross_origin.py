"""A widget on a page of another origin may call the API exactly when a tenant lists that origin."""

import secrets
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from runtime.http import trust
from services.bff.tests.client import Customer, open_customer, path_of
from services.bff.tests.conftest import add_tenant

pytestmark = pytest.mark.store

SESSIONS = "/v1/sessions"
CONVERSATION = "/v1/conversations/cnv_unknown"


@pytest.fixture
async def http(bff_url: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=bff_url, trust_env=False, verify=trust()) as client:
        yield client


@pytest.fixture
def origin(tenants_file: Path) -> str:
    listed = f"https://{secrets.token_hex(6)}.example"
    add_tenant(tenants_file, allowed_origins=[listed])
    return listed


def preflight(origin: str, *, method: str = "POST", header: str = "authorization") -> dict[str, str]:
    return {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": header,
    }


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE"])
async def test_a_browser_may_ask_first_whether_a_listed_origin_may_call(
    http: httpx.AsyncClient, origin: str, method: str
) -> None:
    wanted = "authorization, content-type, idempotency-key, last-event-id, if-none-match"

    answer = await http.options(SESSIONS, headers=preflight(origin, method=method, header=wanted))

    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, origin)
    assert method in answer.headers["access-control-allow-methods"]
    assert "access-control-allow-credentials" not in answer.headers


async def test_an_origin_that_nobody_lists_is_told_no(http: httpx.AsyncClient) -> None:
    asked = await http.options(SESSIONS, headers=preflight("https://evil.example"))
    called = await http.get(CONVERSATION, headers={"Origin": "https://evil.example"})

    assert asked.status_code == 400
    assert "access-control-allow-origin" not in asked.headers
    assert "access-control-allow-origin" not in called.headers


async def test_problems_can_be_read_from_a_listed_origin(http: httpx.AsyncClient, origin: str) -> None:
    answer = await http.get(CONVERSATION, headers={"Origin": origin})

    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (401, origin)
    assert answer.headers["vary"] == "Origin"


async def test_a_stream_and_what_its_headers_say_can_be_read(bff_url: str, tenants_file: Path) -> None:
    origin = "https://shop.example"
    async with open_customer(bff_url, add_tenant(tenants_file, allowed_origins=[origin])) as customer:
        attempt = await customer.ask("answer")

        answer = await customer.http.get(f"{path_of(attempt)}/events", headers={"Origin": origin})

    exposed = answer.headers["access-control-expose-headers"].split(", ")
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, origin)
    assert {"ETag", "Idempotent-Replayed", "RateLimit", "RateLimit-Policy", "Retry-After"} <= set(exposed)


async def test_a_page_of_another_tenant_may_not_use_a_customers_token(customer: Customer, origin: str) -> None:
    answer = await customer.http.post("/v1/conversations", headers={"Origin": origin})

    assert (answer.status_code, answer.json()["code"]) == (403, "FORBIDDEN")


async def test_metrics_are_not_for_other_origins(http: httpx.AsyncClient, origin: str) -> None:
    assert "access-control-allow-origin" not in (await http.get("/metrics", headers={"Origin": origin})).headers


async def test_a_listed_origin_opens_a_session_of_the_tenant_that_lists_it_only(
    http: httpx.AsyncClient, origin: str, tenant: str
) -> None:
    answer = await http.post(SESSIONS, json={"tenant": tenant}, headers={"Origin": origin})

    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (403, origin)
