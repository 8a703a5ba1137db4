import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bff.adapters.limits import Limit, Limits, RateLimitedError, network_of
from bff.adapters.valkey import open_valkey
from bff.api.guards import HEAD_BYTES, HEADERS, NESTING, is_too_deep
from bff.main import create_app
from bff.settings import BffSettings
from contracts.errors import UnavailableError
from contracts.ids import uuid7
from runtime.http import trust
from services.bff.tests.client import Customer, open_customer
from services.bff.tests.conftest import add_tenant
from services.bff.tests.serving import served

pytestmark = pytest.mark.store

NOWHERE = "redis://127.0.0.1:1/0"


@asynccontextmanager
async def limited(settings: BffSettings, **numbers: object) -> AsyncGenerator[str]:
    async with served(create_app(settings.model_copy(update=numbers))) as url:
        yield url


async def ask(customer: Customer, conversation: str) -> httpx.Response:
    return await customer.post_ask("refusal", conversation=conversation)


async def test_a_customer_asks_only_so_often_and_is_told_when_to_come_back(settings: BffSettings, tenant: str) -> None:
    async with limited(settings, asks_per_minute=2) as url, open_customer(url, tenant) as customer:
        conversation = await customer.open_conversation()
        answers = [await ask(customer, conversation) for _ in range(4)]
        read = await customer.http.get(f"/v1/conversations/{conversation}")

    first, refused = answers[0], answers[-1]
    assert [answer.status_code for answer in answers] == [200, 200, 429, 429]
    assert first.headers["ratelimit-policy"].startswith('"asks";q=2;w=60')
    assert first.headers["ratelimit"].startswith('"asks";r=1;t=')
    assert refused.headers["ratelimit"].startswith('"asks";r=0;t=')
    assert (refused.json()["code"], 1 <= int(refused.headers["retry-after"]) <= 60) == ("RATE_LIMITED", True)
    assert len(read.json()["attempts"]) == 2


async def test_another_customer_has_a_limit_of_their_own(settings: BffSettings, tenant: str) -> None:
    async with limited(settings, asks_per_minute=1) as url:
        for _ in range(2):
            async with open_customer(url, tenant) as customer:
                assert (await ask(customer, await customer.open_conversation())).status_code == 200


async def test_guests_of_one_address_share_a_limit_whoever_they_say_they_are(
    settings: BffSettings, tenant: str
) -> None:
    async with limited(settings, asks_per_minute_and_address=2) as url:
        statuses: list[int] = []
        for _ in range(3):
            async with open_customer(url, tenant) as customer:
                statuses.append((await ask(customer, await customer.open_conversation())).status_code)

    assert statuses == [200, 200, 429]


async def test_a_tenant_has_a_limit_that_its_customers_do_not_see(settings: BffSettings, tenants_file: Path) -> None:
    tenant = add_tenant(tenants_file, asks_per_minute=2)
    async with limited(settings) as url:
        answers: list[httpx.Response] = []
        for _ in range(3):
            async with open_customer(url, tenant) as customer:
                answers.append(await ask(customer, await customer.open_conversation()))

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert not any("tenant" in answer.headers["ratelimit-policy"] for answer in answers)


async def test_other_calls_are_limited_apart_from_asks(settings: BffSettings, tenant: str) -> None:
    async with limited(settings, calls_per_minute=3) as url, open_customer(url, tenant) as customer:
        conversation = await customer.open_conversation()
        reads = [await customer.http.get(f"/v1/conversations/{conversation}") for _ in range(3)]
        asked = await ask(customer, conversation)

    assert [answer.status_code for answer in reads] == [200, 200, 429]
    assert reads[0].headers["ratelimit-policy"] == '"calls";q=3;w=60'
    assert asked.status_code == 200


async def test_only_a_trusted_proxy_says_whose_address_it_is(settings: BffSettings, tenant: str) -> None:
    async with (
        limited(settings, sessions_per_minute=1) as url,
        httpx.AsyncClient(trust_env=False, verify=trust()) as http,
    ):
        # The tests call from an address that the server trusts; it believes the last address that it does not trust.
        statuses = [
            (
                await http.post(
                    f"{url}/v1/sessions", json={"tenant": tenant}, headers={"X-Forwarded-For": f"9.9.9.9, {address}"}
                )
            ).status_code
            for address in ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1", "192.0.2.1")
        ]

    assert statuses == [201, 429, 201, 201]


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "unknown"),
        ("", "unknown"),
    ],
)
def test_an_address_is_limited_by_its_network(address: str, network: str) -> None:
    assert network_of(address) == network


def limits(mode: str) -> Limits:
    settings = BffSettings.model_validate(
        {
            "redis_url": NOWHERE,
            "keys_directory": ".",
            "tenants_file": ".",
            "database_url": "",
            "limits_without_valkey": mode,
        }
    )
    return Limits(
        open_valkey(NOWHERE),
        without_valkey=settings.limits_without_valkey,
        now=lambda: 0.0,
        stopwatch=lambda: 0.0,
    )


async def test_without_valkey_a_process_counts_for_itself() -> None:
    counting, limit = limits("local"), Limit(policy="asks", per_minute=2, key=(uuid7().hex,))

    await counting.spend(limit)
    await counting.spend(limit)

    with pytest.raises(RateLimitedError):
        await counting.spend(limit)


async def test_without_valkey_open_limits_nothing_and_closed_lets_nobody_in() -> None:
    limit = Limit(policy="asks", per_minute=1, key=(uuid7().hex,))

    opened = limits("open")
    assert [await opened.spend(limit) for _ in range(3)] == [None, None, None]
    with pytest.raises(UnavailableError):
        await limits("closed").spend(limit)


@pytest.mark.parametrize(("mode", "statuses"), [("local", [200, 429]), ("open", [200, 200]), ("closed", [503, 503])])
async def test_without_valkey_the_setting_says_who_is_let_in(
    settings: BffSettings, tenant: str, bff_url: str, mode: str, statuses: list[int]
) -> None:
    alone = {"redis_url": NOWHERE, "limits_without_valkey": mode, "asks_per_minute": 1}
    async with limited(settings, **alone) as url, open_customer(bff_url, tenant) as customer:
        conversation = await customer.open_conversation()
        customer.http.base_url = url
        answers = [await ask(customer, conversation) for _ in range(2)]

    assert [answer.status_code for answer in answers] == statuses
    assert all("retry-after" in answer.headers for answer in answers if answer.status_code > 200)


async def test_a_hundred_at_once_do_not_pass_a_limit(redis_url: str) -> None:
    valkey = open_valkey(redis_url)
    counting = Limits(valkey, without_valkey="closed", now=lambda: 0.0, stopwatch=lambda: 0.0)
    limit = Limit(policy="asks", per_minute=10, key=(uuid7().hex,))

    found = await asyncio.gather(*(counting.spend(limit) for _ in range(100)), return_exceptions=True)

    await valkey.aclose()
    assert len([each for each in found if isinstance(each, RateLimitedError)]) == 90


@pytest.mark.parametrize(
    ("headers", "path"),
    [
        ({"X-Long": "x" * HEAD_BYTES}, "/v1/conversations"),
        ({f"X-{number}": "x" for number in range(HEADERS)}, "/v1/conversations"),
        ({}, f"/v1/conversations?{'x' * 3000}"),
    ],
    ids=["long", "many", "query"],
)
async def test_a_head_that_is_too_large_is_refused(bff_url: str, headers: dict[str, str], path: str) -> None:
    async with httpx.AsyncClient(base_url=bff_url, trust_env=False, verify=trust()) as http:
        answer = await http.post(path, headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (431, "HEAD_TOO_LARGE")
    assert answer.headers["content-type"] == "application/problem+json"


async def test_json_that_is_nested_too_deeply_is_not_parsed(customer: Customer) -> None:
    conversation = await customer.open_conversation()
    body = b'{"question": "' + b"[" * 100 + b'", "facts": ' + b"[" * 50_000

    answer = await customer.http.post(
        f"/v1/conversations/{conversation}/attempts", content=body, headers={"Content-Type": "application/json"}
    )

    assert (answer.status_code, answer.json()["detail"]) == (400, "The body is nested too deeply.")
    assert await customer.attempts(conversation) == []


async def test_a_body_that_is_too_large_is_refused(customer: Customer) -> None:
    conversation = await customer.open_conversation()

    answer = await customer.post_ask("x" * 300_000, conversation=conversation)

    assert (answer.status_code, answer.json()["code"]) == (413, "TOO_LARGE")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", False),
        (b"[" * NESTING, False),
        (b"[" * (NESTING + 1), True),
        (b"[" * (NESTING + 1) + b"]" * (NESTING + 1), True),
        (b"[" * NESTING + b"]" * NESTING, False),
        (b'{"a":' * NESTING + b"1" + b"}" * NESTING, False),
        (b'{"a":' * (NESTING + 1) + b"1" + b"}" * (NESTING + 1), True),
        (b"[]" * 1000, False),
        (b"]" * 1000, False),
        (b'"' + b"[" * 100 + b'"', False),
        (b'"' + b"[" * 100, False),
        (b'"\\"' + b"[" * 100 + b'"', False),
        (b'"\\\\"' + b"{" * 100, True),
        (b"[" * 10 + b"{" * 10, True),
        (b"\\", False),
        (b"[" * 17 + b'"' * 250_000, True),
    ],
)
def test_nesting_is_seen_without_parsing(body: bytes, expected: bool) -> None:  # noqa: FBT001 - a column of the table
    assert is_too_deep(body) == expected


@given(st.recursive(st.none() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_what_is_seen_is_how_deep_json_is(value: object) -> None:
    def depth(each: object) -> int:
        inner = each.values() if isinstance(each, dict) else each if isinstance(each, list) else None  # pyright: ignore[reportUnknownVariableType]  # JSON
        return 0 if inner is None else 1 + max(map(depth, inner), default=0)  # pyright: ignore[reportUnknownArgumentType]  # as above

    for ascii_only in (True, False):
        assert is_too_deep(json.dumps(value, ensure_ascii=ascii_only).encode()) == (depth(value) > NESTING)
