"""The fake bff may say only what the real one could."""

import json
from collections.abc import AsyncIterator

import httpx
import pytest
from httpx_sse import aconnect_sse

from contracts.customer import Attempt, Conversation, SessionToken
from contracts.reasons import RefusalReason
from contracts.stream import ATTEMPT_EVENT, grammar_fault
from runtime.http import trust
from tests.browser.fake_bff import FakeBff
from tests.browser.scripts import FULL_ANSWER, RETURNS, RETURNS_QUOTE, Script, failure, refusal, statement

pytestmark = pytest.mark.browser
SCRIPTS = {
    "answer": FULL_ANSWER,
    "refusal": refusal(RefusalReason.CONFLICTING_POLICY, "规定不一致。"),
    "failure": failure(statement(RETURNS_QUOTE, RETURNS)),
}


@pytest.fixture
async def client(customer_page_url: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=customer_page_url, trust_env=False, verify=trust()) as opened:
        yield opened


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
async def test_every_script_follows_the_grammar(client: httpx.AsyncClient, bff: FakeBff, script: Script) -> None:
    bff.on("问", script)
    session = await client.post("/v1/sessions", json={"tenant": "demo"})
    opened = Conversation.model_validate_json((await client.post("/v1/conversations")).content)
    path = f"/v1/conversations/{opened.conversation_id}/attempts"

    async with aconnect_sse(client, "POST", path, json={"question": "问"}, headers={"Idempotency-Key": "1"}) as source:
        events = [event async for event in source.aiter_sse()]

    SessionToken.model_validate_json(session.content)
    for event in events:
        ATTEMPT_EVENT.validate_python({"event": event.event, **json.loads(event.data)})
    assert grammar_fault([event.event for event in events], closed=True) is None
    assert [event.id for event in events] == [str(number) for number in range(1, len(events) + 1)]


async def test_attempt_read_as_json_is_a_contract_attempt(client: httpx.AsyncClient, bff: FakeBff) -> None:
    conversation = Conversation.model_validate_json((await client.post("/v1/conversations")).content)
    bff.on("问", FULL_ANSWER)
    path = f"/v1/conversations/{conversation.conversation_id}/attempts"
    await client.post(path, json={"question": "问"}, headers={"Idempotency-Key": "1"})

    (running,) = bff.conversations[conversation.conversation_id]
    answer = await client.get(f"{path}/{running.attempt.attempt_id}")

    assert Attempt.model_validate_json(answer.content).status == "COMPLETED"
