"""Every call the served API describes, tried with ids of others: nothing is there, and nothing tells why."""

import re
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import Engine, event

from contracts.ids import printed, uuid7
from runtime.http import trust
from services.bff.tests.client import KEY, Customer, open_customer
from services.bff.tests.conftest import add_tenant

pytestmark = pytest.mark.store

# A call with a body that is not here is refused as invalid, and its test fails: nothing new can be forgotten.
BODIES: dict[str, object] = {
    "ask": {"question": "answer"},
    "judgeAttempt": {"rating": "HELPFUL"},
    "escalateAttempt": {},
}
ACCEPTED = ("application/json", "text/event-stream")
KINDS = {"conversation_id": "cnv", "attempt_id": "att", "escalation_id": "esc"}
OWN = {"instance", "traceId", "attemptId"}

Ids = dict[str, str]


@dataclass(frozen=True)
class Call:
    """One operation of the served description that names an id."""

    operation: str
    method: str
    path: str

    def names(self, parameter: str) -> bool:
        return f"{{{parameter}}}" in self.path

    async def by(self, customer: Customer, ids: Ids, accept: str) -> httpx.Response:
        filled = re.sub(r"\{(\w+)\}", lambda match: ids[match[1]], self.path)
        headers = {KEY: uuid7().hex, "Accept": accept}
        return await customer.http.request(self.method, filled, json=BODIES.get(self.operation), headers=headers)


@pytest.fixture
async def calls(bff_url: str) -> list[Call]:
    async with httpx.AsyncClient(base_url=bff_url, trust_env=False, verify=trust()) as http:
        paths: dict[str, dict[str, Any]] = (await http.get("/openapi.json")).json()["paths"]  # JSON
    return [
        Call(operation["operationId"], method.upper(), path)
        for path, methods in paths.items()
        for method, operation in methods.items()
        if "{" in path and "/staff/" not in path
    ]


@pytest.fixture
async def ids(customer: Customer) -> Ids:
    attempt = await customer.ask("answer")
    escalation = await customer.escalate(attempt)
    judged = f"/v1/conversations/{attempt.conversation_id}/attempts/{attempt.attempt_id}/feedback"
    (await customer.http.put(judged, json={"rating": "HELPFUL"})).raise_for_status()
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


def unknown_ids() -> Ids:
    return {name: printed(kind, uuid7()) for name, kind in KINDS.items()} | {"index": "1"}  # pyright: ignore[reportArgumentType]  # the prefixes above


@contextmanager
def counted_statements() -> Generator[list[str]]:
    """Note every statement this process sends; the served bff runs in it."""
    sent: list[str] = []

    def note(_c: object, _cursor: object, statement: str, *_more: object) -> None:
        sent.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(Engine, "before_cursor_execute", note)


async def found(customer: Customer, calls: list[Call], ids: Ids) -> set[tuple[int, str]]:
    answers = [await call.by(customer, ids, accept) for call in calls for accept in ACCEPTED]
    return {(answer.status_code, answer.json()["code"]) for answer in answers}


def test_every_kind_of_id_is_known_here(calls: list[Call]) -> None:
    named = {name for call in calls for name in re.findall(r"\{(\w+)\}", call.path)}

    assert named == {*KINDS, "index"}
    assert len(calls) >= 12


async def test_another_tenant_finds_nothing(stranger: Customer, calls: list[Call], ids: Ids) -> None:
    assert await found(stranger, calls, ids) == {(404, "NOT_FOUND")}


async def test_another_customer_of_the_tenant_finds_nothing(
    neighbour: Customer, customer: Customer, calls: list[Call], ids: Ids
) -> None:
    assert await found(neighbour, calls, ids) == {(404, "NOT_FOUND")}
    assert len(await customer.attempts(ids["conversation_id"])) == 1


async def test_an_id_of_another_in_a_conversation_of_ones_own_finds_nothing(
    neighbour: Customer, stranger: Customer, calls: list[Call], ids: Ids
) -> None:
    below = [call for call in calls if call.names("attempt_id") or call.names("escalation_id")]
    for other in (neighbour, stranger):
        mixed = ids | {"conversation_id": await other.open_conversation()}

        assert await found(other, below, mixed) == {(404, "NOT_FOUND")}


async def test_an_attempt_of_another_conversation_is_not_found(customer: Customer, calls: list[Call], ids: Ids) -> None:
    below = [call for call in calls if call.names("attempt_id") or call.names("escalation_id")]
    elsewhere = ids | {"conversation_id": await customer.open_conversation()}

    assert await found(customer, below, elsewhere) == {(404, "NOT_FOUND")}


async def test_unknown_ids_are_not_found(customer: Customer, calls: list[Call]) -> None:
    assert await found(customer, calls, unknown_ids()) == {(404, "NOT_FOUND")}


async def test_what_is_foreign_looks_and_costs_like_what_is_unknown(
    neighbour: Customer, stranger: Customer, calls: list[Call], ids: Ids
) -> None:
    for call in calls:
        for accept in ACCEPTED:
            seen: list[tuple[object, ...]] = []
            for customer, tried in ((neighbour, ids), (stranger, ids), (neighbour, unknown_ids())):
                with counted_statements() as sent:
                    answer = await call.by(customer, tried, accept)
                body = {name: value for name, value in answer.json().items() if name not in OWN}
                same_headers = sorted(set(answer.headers) - {"date", "content-length"})
                seen.append((answer.status_code, body, same_headers, sent))

            assert seen[0] == seen[1] == seen[2], call


@pytest.mark.parametrize("malformed", ["x", "%27%20OR%201=1--%00", "cnv_", "%F0%9F%98%80"])
async def test_malformed_ids_are_not_found(customer: Customer, calls: list[Call], malformed: str) -> None:
    ids = dict.fromkeys(KINDS, malformed) | {"index": "1"}

    assert await found(customer, calls, ids) == {(404, "NOT_FOUND")}


@pytest.mark.parametrize("index", ["0", "3", "17", "x", "-1", "1.0", "%00", "999999999999"])
async def test_a_citation_that_is_not_listed_is_not_found(
    customer: Customer, calls: list[Call], ids: Ids, index: str
) -> None:
    reading = [call for call in calls if call.names("index")]

    assert await found(customer, reading, ids | {"index": index}) == {(404, "NOT_FOUND")}


async def test_without_a_token_there_is_nothing(customer: Customer, calls: list[Call], ids: Ids) -> None:
    del customer.http.headers["Authorization"]

    assert await found(customer, calls, ids) == {(401, "UNAUTHENTICATED")}
