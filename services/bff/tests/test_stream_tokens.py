"""A token in the address opens the events of one attempt for a minute, and is written down nowhere."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest
from httpx_sse import aconnect_sse
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from bff.adapters.customers import GuestIssuer
from bff.adapters.stream_tokens import StreamTokens
from bff.settings import BffSettings
from contracts.customer import Attempt, StreamToken
from contracts.ids import uuid7
from runtime.http import trust
from runtime.tokens import KeyRing, private_file
from services.bff.tests.client import Customer, logged, path_of

pytestmark = pytest.mark.store


async def token_of(customer: Customer, attempt: Attempt) -> StreamToken:
    answer = await customer.http.post(f"{path_of(attempt)}/stream-token")
    assert answer.status_code == 201
    return StreamToken.model_validate_json(answer.content)


def stranger(customer: Customer, **headers: str) -> httpx.AsyncClient:
    """Give a client that sends no token in a header."""
    return httpx.AsyncClient(
        base_url=customer.http.base_url, headers=headers, timeout=60, trust_env=False, verify=trust()
    )


async def test_it_opens_the_events_of_its_attempt_without_a_header(customer: Customer) -> None:
    attempt = await customer.ask("answer")
    token = await token_of(customer, attempt)

    async with (
        stranger(customer) as http,
        aconnect_sse(http, "GET", f"{path_of(attempt)}/events", params={"streamToken": token.token}) as source,
    ):
        heard = [event async for event in source.aiter_sse()]

    assert logged(heard) == logged(await customer.reattach(attempt))
    assert source.response.headers["cache-control"] == "no-store"
    assert timedelta(0) < token.expires_at - datetime.now(UTC) <= timedelta(seconds=60)


async def test_it_opens_nothing_else(customer: Customer) -> None:
    conversation = await customer.open_conversation()
    attempt = await customer.ask("answer", conversation=conversation)
    other = await customer.ask("answer", conversation=conversation)
    query = {"streamToken": (await token_of(customer, attempt)).token}

    async with stranger(customer) as http:
        statuses = [
            (await http.get(f"{path_of(other)}/events", params=query)).status_code,
            (await http.get(path_of(attempt), params=query)).status_code,
            (await http.post(f"{path_of(attempt)}/cancel", params=query)).status_code,
            (await http.post(f"{path_of(attempt)}/stream-token", params=query)).status_code,
            (await http.get(path_of(attempt), headers={"Authorization": f"Bearer {query['streamToken']}"})).status_code,
        ]

    assert statuses == [401] * 5


async def test_nobody_gets_one_for_what_is_not_theirs(customer: Customer) -> None:
    attempt = await customer.ask("answer")
    async with stranger(customer) as http:
        token = (await http.post("/v1/sessions", json={"tenant": customer.tenant})).json()["token"]
        answer = await http.post(f"{path_of(attempt)}/stream-token", headers={"Authorization": f"Bearer {token}"})

    assert answer.status_code == 404


@pytest.mark.parametrize("token", ["", "x", "a.b.c"])
async def test_what_is_no_token_is_refused(customer: Customer, token: str) -> None:
    attempt = await customer.ask("answer")
    async with stranger(customer) as http:
        answer = await http.get(f"{path_of(attempt)}/events", params={"streamToken": token})

    assert (answer.status_code, answer.json()["code"]) == (401, "UNAUTHENTICATED")


async def test_after_its_minute_it_opens_nothing(customer: Customer, settings: BffSettings) -> None:
    attempt = await customer.ask("answer")
    keys = KeyRing(private_file(settings.keys_directory, "guest"))
    issuer = GuestIssuer(keys, clock=lambda: datetime.now(UTC), new_id=uuid7, lifetime=timedelta(hours=1))
    whose = issuer.customer_of(customer.http.headers["Authorization"].removeprefix("Bearer "))
    old = StreamTokens(keys, clock=lambda: datetime.now(UTC) - timedelta(seconds=70))
    token, _ = old.issue(whose, attempt.attempt_id)

    async with stranger(customer) as http:
        answer = await http.get(f"{path_of(attempt)}/events", params={"streamToken": token})

    assert answer.status_code == 401


async def test_pages_of_other_origins_need_to_be_listed_for_it_too(customer: Customer) -> None:
    attempt = await customer.ask("answer")
    query = {"streamToken": (await token_of(customer, attempt)).token}

    async with stranger(customer, Origin="https://elsewhere.example") as http:
        answer = await http.get(f"{path_of(attempt)}/events", params=query)

    assert answer.status_code == 403


async def test_it_stands_in_no_log_and_no_span(customer: Customer, caplog: pytest.LogCaptureFixture) -> None:
    if not isinstance(trace.get_tracer_provider(), TracerProvider):
        trace.set_tracer_provider(TracerProvider())
    spans = InMemorySpanExporter()
    provider = trace.get_tracer_provider()
    assert isinstance(provider, TracerProvider)
    provider.add_span_processor(SimpleSpanProcessor(spans))
    attempt = await customer.ask("answer")
    token = (await token_of(customer, attempt)).token

    async with stranger(customer) as http:
        await http.get(f"{path_of(attempt)}/events", params={"other": "1", "streamToken": token})

    served = [span for span in spans.get_finished_spans() if span.name.startswith("GET")]
    noted = " ".join(f"{span.name} {dict(span.attributes or {})}" for span in served)
    assert served
    assert token not in noted
    assert "streamToken" not in noted
    assert token not in caplog.text
