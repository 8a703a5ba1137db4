import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from contracts.ids import printed, uuid7
from services.bff.tests.client import KEY, Customer, open_customer
from services.bff.tests.conftest import add_tenant
from services.bff.tests.contract import CONTRACT

pytestmark = pytest.mark.store

BODIES: dict[str, object] = {"attempts": {"question": "answer"}, "feedback": {"rating": "HELPFUL"}, "escalations": {}}
OPERATIONS = [
    (method.upper(), path) for path, methods in CONTRACT["paths"].items() for method in methods if "{" in path
]


@pytest.fixture
async def ids(customer: Customer) -> dict[str, str]:
    attempt = await customer.ask("answer")
    escalation = await customer.escalate(attempt)
    return {
        "conversation_id": attempt.conversation_id,
        "attempt_id": attempt.attempt_id,
        "escalation_id": escalation.escalation_id,
        "index": "1",
    }


@pytest.fixture
async def stranger(bff_url: str, tenants_file: Path) -> AsyncIterator[Customer]:
    async with open_customer(bff_url, add_tenant(tenants_file)) as other:
        yield other


@pytest.fixture
async def neighbour(bff_url: str, tenant: str) -> AsyncIterator[Customer]:
    async with open_customer(bff_url, tenant) as other:
        yield other


async def statuses(customer: Customer, ids: dict[str, str]) -> set[tuple[int, str]]:
    found: set[tuple[int, str]] = set()
    for method, path in OPERATIONS:
        filled = re.sub(r"\{(\w+)\}", lambda match: ids[match[1]], path)
        body = BODIES.get(path.rsplit("/", 1)[-1]) if method in {"POST", "PUT"} else None
        for accept in ("application/json", "text/event-stream"):
            headers = {KEY: uuid7().hex, "Accept": accept}
            answer = await customer.http.request(method, filled, json=body, headers=headers)
            found.add((answer.status_code, answer.json()["code"]))
    return found


def test_every_call_with_an_id_is_tried() -> None:
    assert len(OPERATIONS) == 12


async def test_another_tenant_finds_nothing(stranger: Customer, ids: dict[str, str]) -> None:
    assert await statuses(stranger, ids) == {(404, "NOT_FOUND")}


async def test_another_customer_of_the_tenant_finds_nothing(
    neighbour: Customer, customer: Customer, ids: dict[str, str]
) -> None:
    found = await statuses(neighbour, ids)

    assert found == {(404, "NOT_FOUND")}
    assert len(await customer.attempts(ids["conversation_id"])) == 1


async def test_unknown_ids_are_not_found(customer: Customer) -> None:
    unknown = {
        "conversation_id": printed("cnv", uuid7()),
        "attempt_id": printed("att", uuid7()),
        "escalation_id": printed("esc", uuid7()),
        "index": "1",
    }

    assert await statuses(customer, unknown) == {(404, "NOT_FOUND")}


@pytest.mark.parametrize("text", ["x", "%27%20OR%201=1--%00", "cnv_", "%F0%9F%98%80"])
async def test_malformed_ids_are_not_found(customer: Customer, text: str) -> None:
    malformed = dict.fromkeys(("conversation_id", "attempt_id", "escalation_id"), text) | {"index": "1"}

    assert await statuses(customer, malformed) == {(404, "NOT_FOUND")}


async def test_an_attempt_of_another_conversation_is_not_found(customer: Customer, ids: dict[str, str]) -> None:
    elsewhere = ids | {"conversation_id": await customer.open_conversation()}

    for method, path in OPERATIONS:
        if "{attempt_id}" in path or "{escalation_id}" in path:
            filled = re.sub(r"\{(\w+)\}", lambda match: elsewhere[match[1]], path)
            body = BODIES.get(path.rsplit("/", 1)[-1]) if method in {"POST", "PUT"} else None
            answer = await customer.http.request(method, filled, json=body, headers={KEY: uuid7().hex})
            assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")


async def test_without_a_token_there_is_nothing(customer: Customer, ids: dict[str, str]) -> None:
    del customer.http.headers["Authorization"]

    assert await statuses(customer, ids) == {(401, "UNAUTHENTICATED")}
