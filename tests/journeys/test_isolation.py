"""Nothing of one customer or tenant is reachable for another: every endpoint, every kind of id, always 404."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final

import httpx
import pytest

from contracts.ids import printed, uuid7
from runtime.http import trust
from tests.support.customer import Customer, new_customer
from tests.support.system import System

pytestmark = pytest.mark.journey

BODIES: Final[dict[str, Any]] = {  # a valid body for each path that takes one
    "attempts": {"question": "退款多久到账？"},
    "feedback": {"rating": "HELPFUL"},
    "escalations": {},
}


STAFF: Final = "/v1/staff/"


@dataclass(frozen=True, slots=True)
class Ids:
    """The ids of a victim, by the name of the path parameter."""

    values: dict[str, str]

    def fill(self, path: str) -> str:
        return re.sub(r"\{(\w+)\}", lambda match: self.values[match[1]], path)


@pytest.fixture(scope="module")
async def victim(system: System) -> AsyncIterator[Ids]:
    async with new_customer(system.bff) as customer:
        attempt = await customer.ask("退款多久到账？")
        escalation = await customer.escalate(attempt)
        yield Ids(
            {
                "conversation_id": attempt.conversation_id,
                "attempt_id": attempt.attempt_id,
                "escalation_id": escalation.escalation_id,
                "parked_id": printed("msg", uuid7()),
                "index": "1",
                "n": "1",
            }
        )


@pytest.fixture(scope="module")
def served(system: System) -> list[tuple[str, str]]:
    """Give every operation of bff that names a thing by its id."""
    document = httpx.get(f"{system.bff}/openapi.json", trust_env=False, verify=trust()).raise_for_status().json()
    found = [(method.upper(), path) for path, methods in document["paths"].items() for method in methods]
    return [(method, path) for method, path in found if "{" in path]


@pytest.fixture(scope="module")
def operations(served: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Give those that are for customers."""
    return [(method, path) for method, path in served if not path.startswith(STAFF)]


async def answers(customer: Customer, ids: Ids, operations: list[tuple[str, str]]) -> dict[str, tuple[int, str]]:
    found: dict[str, tuple[int, str]] = {}
    for method, path in operations:
        body = BODIES.get(path.rsplit("/", 1)[-1]) if method in {"POST", "PUT"} else None
        headers = {"Idempotency-Key": uuid7().hex, "Accept": "application/json"}
        answer = await customer.http.request(method, ids.fill(path), json=body, headers=headers)
        found[f"{method} {path}"] = (answer.status_code, answer.json().get("code", "") if answer.content else "")
    return found


def test_there_is_something_to_try(operations: list[tuple[str, str]]) -> None:
    assert len(operations) >= 11


async def test_another_customer_of_the_tenant_finds_nothing(
    system: System, victim: Ids, operations: list[tuple[str, str]]
) -> None:
    async with new_customer(system.bff) as stranger:
        found = await answers(stranger, victim, operations)

    assert set(found.values()) == {(404, "NOT_FOUND")}, found


async def test_another_tenant_finds_nothing(system: System, victim: Ids, operations: list[tuple[str, str]]) -> None:
    system.command("tenant", "add", "other")

    async with new_customer(system.bff, "other") as stranger:
        found = await answers(stranger, victim, operations)

    assert set(found.values()) == {(404, "NOT_FOUND")}, found


@pytest.mark.parametrize("kind", ["unknown", "malformed", "hostile"])
async def test_ids_that_are_none_are_not_found(
    customer: Customer, operations: list[tuple[str, str]], kind: str
) -> None:
    ids = {
        "unknown": Ids(
            {
                "conversation_id": printed("cnv", uuid7()),
                "attempt_id": printed("att", uuid7()),
                "escalation_id": printed("esc", uuid7()),
                "index": "1",
                "n": "1",
            }
        ),
        "malformed": Ids(
            dict.fromkeys(("conversation_id", "attempt_id", "escalation_id"), "x") | {"index": "1", "n": "1"}
        ),
        "hostile": Ids(
            dict.fromkeys(("conversation_id", "attempt_id", "escalation_id"), "%27%20OR%201=1--%00")
            | {"index": "1", "n": "1"}
        ),
    }[kind]

    assert set((await answers(customer, ids, operations)).values()) == {(404, "NOT_FOUND")}


async def test_an_attempt_of_another_conversation_is_not_found(
    customer: Customer, operations: list[tuple[str, str]]
) -> None:
    attempt = await customer.ask("退款多久到账？")
    ids = Ids(
        {
            "conversation_id": await customer.open_conversation(),
            "attempt_id": attempt.attempt_id,
            "escalation_id": printed("esc", uuid7()),
            "index": "1",
            "n": "1",
        }
    )

    found = await answers(customer, ids, [each for each in operations if "{attempt_id}" in each[1]])

    assert set(found.values()) == {(404, "NOT_FOUND")}, found


async def test_what_is_for_staff_is_shut_to_customers(
    customer: Customer, victim: Ids, served: list[tuple[str, str]]
) -> None:
    for_staff = [each for each in served if each[1].startswith(STAFF)]

    found = await answers(customer, victim, for_staff)

    assert found
    assert set(found.values()) == {(401, "UNAUTHENTICATED")}, found


@pytest.mark.parametrize("token", ["", "Bearer", "Bearer nonsense", "Basic Zm9v"])
async def test_without_a_token_there_is_nothing(
    system: System, victim: Ids, served: list[tuple[str, str]], token: str
) -> None:
    async with httpx.AsyncClient(base_url=system.bff, trust_env=False, verify=trust()) as client:
        for method, path in served:
            answer = await client.request(method, victim.fill(path), headers={"Authorization": token} if token else {})
            assert (answer.status_code, answer.json()["code"]) == (401, "UNAUTHENTICATED")
