"""A citation is opened for whoever reads it now: with their segments, and as the text stands today."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest

from contracts.customer import Attempt
from contracts.service_token import AUDIENCE_KNOWLEDGE
from runtime.http import trust
from runtime.tokens import public_file, read_keys, verify
from services.bff.tests.client import Customer, path_of
from services.bff.tests.conftest import add_tenant
from services.bff.tests.fake_knowledge import FakeKnowledge
from services.bff.tests.issuing import AUDIENCE, ISSUER, Issuer
from services.bff.tests.serving import served

pytestmark = pytest.mark.store


def told(knowledge: FakeKnowledge, keys_directory: Path, key: str) -> dict[str, Any]:  # claims
    token = knowledge.headers[key]["authorization"].removeprefix("Bearer ")
    return verify(read_keys(public_file(keys_directory, "service")), token, audience=AUDIENCE_KNOWLEDGE)


async def test_the_whole_passage_is_shown_with_the_place_of_the_quote_and_nothing_of_ours(customer: Customer) -> None:
    attempt = await customer.ask("answer")

    shown = (await customer.http.get(f"{path_of(attempt)}/citations/1")).json()

    assert shown["passage"][shown["quoteStart"] : shown["quoteEnd"]] == shown["quote"] == attempt.citations[0].quote
    assert set(shown) == {
        "index", "title", "section", "headingPath", "revision", "effectiveFrom", "effectiveTo", "updatedAt", "passage",
        "quote", "quoteStart", "quoteEnd", "sourceUrl", "replacedBy", "withdrawnAt",
    }  # fmt: skip


async def test_a_text_that_was_replaced_or_withdrawn_says_so(customer: Customer, knowledge: FakeKnowledge) -> None:
    attempt = await customer.ask("answer")
    knowledge.passage_now = {"replaced_by": "2026-12", "withdrawn_at": datetime(2026, 11, 30, tzinfo=UTC)}

    shown = (await customer.http.get(f"{path_of(attempt)}/citations/2")).json()

    knowledge.passage_now = {}
    assert (shown["replacedBy"], shown["withdrawnAt"]) == ("2026-12", "2026-11-30T00:00:00Z")


@pytest.mark.parametrize("status", [403, 404, 410])
async def test_what_may_not_be_seen_any_more_is_not_there(
    customer: Customer, knowledge: FakeKnowledge, status: int
) -> None:
    attempt = await customer.ask("answer")
    knowledge.passage_status = status

    answer = await customer.http.get(f"{path_of(attempt)}/citations/1")

    knowledge.passage_status = None
    assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")


async def test_without_knowledge_a_citation_can_be_tried_again(customer: Customer, knowledge: FakeKnowledge) -> None:
    attempt = await customer.ask("answer")
    knowledge.passage_status = 500

    answer = await customer.http.get(f"{path_of(attempt)}/citations/1")

    knowledge.passage_status = None
    assert (answer.status_code, answer.json()["code"]) == (503, "UNAVAILABLE")


@pytest.fixture
async def issuer() -> AsyncIterator[tuple[Issuer, str]]:
    made = Issuer()
    async with served(made.app()) as url:
        yield made, url


async def test_access_is_that_of_the_reader_now_not_of_the_asker_then(
    issuer: tuple[Issuer, str], tenants_file: Path, bff_url: str, knowledge: FakeKnowledge, keys_directory: Path
) -> None:
    name = f"{ISSUER}/{issuer[1].rpartition(':')[2]}"
    trusted = {"issuer": name, "audience": AUDIENCE, "jwks_url": f"{issuer[1]}/keys", "segments_claim": "segments"}
    tenant = add_tenant(tenants_file, customers=trusted)
    async with httpx.AsyncClient(base_url=bff_url, trust_env=False, verify=trust()) as http:

        def as_customer(*segments: str) -> Customer:
            token = issuer[0].sign(iss=name, segments=list(segments))
            http.headers["Authorization"] = f"Bearer {token}"
            return Customer(http, tenant)

        attempt: Attempt = await as_customer("vip").ask("answer")
        await as_customer().http.get(f"{path_of(attempt)}/citations/1")

    asked = told(knowledge, keys_directory, attempt.attempt_id)
    read = told(knowledge, keys_directory, f"{attempt.attempt_id}/1")
    assert (asked["segments"], read["segments"]) == (["public", "vip"], ["public"])


async def test_every_call_to_knowledge_bears_a_token_for_itself_and_a_minute(
    customer: Customer, knowledge: FakeKnowledge, keys_directory: Path
) -> None:
    attempt = await customer.ask("answer")
    await customer.http.get(f"{path_of(attempt)}/citations/1")

    asked = told(knowledge, keys_directory, attempt.attempt_id)
    read = told(knowledge, keys_directory, f"{attempt.attempt_id}/1")

    assert (asked["method"], asked["path"]) == ("POST", "/v1/answers")
    assert (read["method"], read["path"]) == ("GET", f"/v1/attempts/{attempt.attempt_id}/citations/1")
    assert {(each["tenant"], each["attemptId"]) for each in (asked, read)} == {(customer.tenant, attempt.attempt_id)}
    assert {each["exp"] - each["iat"] for each in (asked, read)} == {60}
    assert asked["jti"] != read["jti"]
    assert jwt.get_unverified_header(knowledge.headers[attempt.attempt_id]["authorization"][7:])["alg"] == "EdDSA"
