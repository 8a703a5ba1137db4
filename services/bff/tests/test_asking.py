import json
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bff.adapters.clients import Clients
from bff.attempts.attempt import NewAttempt
from bff.attempts.store import AttemptStore
from contracts.errors import NotFoundError
from contracts.ids import uuid7
from contracts.reasons import FailureCode
from contracts.stream import grammar_fault
from runtime.tokens import public_file, read_keys, verify
from services.bff.tests.attempts.making import make_attempt
from services.bff.tests.client import Customer, logged, names, open_customer
from services.bff.tests.conftest import add_tenant
from services.bff.tests.fake_knowledge import QUOTES, VERSION, FakeKnowledge

pytestmark = pytest.mark.store

FAILURES = {
    "unavailable": (503, FailureCode.KNOWLEDGE_UNAVAILABLE),
    "late": (504, FailureCode.KNOWLEDGE_TIMEOUT),
    "broken": (502, FailureCode.KNOWLEDGE_ERROR),
    "denied": (502, FailureCode.KNOWLEDGE_ERROR),
    "error": (502, FailureCode.VALIDATION_FAILED),
    "cut": (502, FailureCode.KNOWLEDGE_ERROR),
    "cut after citations": (502, FailureCode.KNOWLEDGE_ERROR),
    "torn": (502, FailureCode.KNOWLEDGE_ERROR),
    "empty": (502, FailureCode.EMPTY_STREAM),
    "unknown event": (502, FailureCode.KNOWLEDGE_ERROR),
    "wrong order": (502, FailureCode.KNOWLEDGE_ERROR),
    "extra field": (502, FailureCode.KNOWLEDGE_ERROR),
}


async def test_a_question_is_answered_as_json(customer: Customer) -> None:
    attempt = await customer.ask("能退吗，运费谁承担？")

    assert (attempt.status, attempt.answer) == ("COMPLETED", "".join(QUOTES))
    assert (attempt.knowledge_version, attempt.language) == (VERSION, "zh")
    assert attempt.citations[0].detail_url.endswith(f"/attempts/{attempt.attempt_id}/citations/1")


async def test_a_question_is_answered_as_a_stream(customer: Customer) -> None:
    events = await customer.listen("answer")

    assert names(events) == ["session", "metadata", "delta", "delta", "citation", "citation", "completed"]
    assert grammar_fault(names(events), closed=True) is None
    assert [number for number, _, _ in logged(events)] == [str(n) for n in range(1, 8)]
    assert json.loads(events[1].data)["knowledgeVersion"] is None


@pytest.mark.parametrize("question", ["answer", "refusal"])
async def test_the_json_says_what_the_stream_says(customer: Customer, question: str) -> None:
    conversation = await customer.open_conversation()
    events = await customer.listen(question, conversation=conversation)

    (attempt,) = await customer.attempts(conversation)

    outcome = json.loads(events[-1].data)
    as_json = json.loads(attempt.model_dump_json())
    streamed = [json.loads(event.data) for event in events if event.event == "citation"]
    assert {name: as_json[name] for name in outcome} == outcome
    assert as_json["citations"] == streamed


async def test_a_refusal_is_a_result(customer: Customer) -> None:
    attempt = await customer.ask("refusal")

    assert (attempt.status, attempt.refused, attempt.coverage) == ("COMPLETED", True, "none")
    assert (attempt.reason_code, attempt.handoff) == ("NO_AUTHORIZED_EVIDENCE", "offered")


@pytest.mark.parametrize("question", FAILURES)
async def test_a_failure_is_a_problem_and_no_answer(customer: Customer, question: str) -> None:
    conversation = await customer.open_conversation()

    answer = await customer.post_ask(question, conversation=conversation)

    (attempt,) = await customer.attempts(conversation)
    status, code = FAILURES[question]
    problem = answer.json()
    assert (answer.status_code, problem["code"], problem["attemptId"]) == (status, code, attempt.attempt_id)
    assert answer.headers["content-type"] == "application/problem+json"
    assert (attempt.status, attempt.failure_code, attempt.answer) == ("FAILED", code, None)
    assert (attempt.parts, attempt.citations, attempt.retryable) == ((), (), True)


@pytest.mark.parametrize("question", FAILURES)
async def test_a_failed_stream_keeps_the_grammar_and_our_own_words(customer: Customer, question: str) -> None:
    events = await customer.listen(question)

    closing = json.loads(events[-1].data)
    assert grammar_fault(names(events), closed=True) is None
    assert (events[-1].event, closing["code"]) == ("error", FAILURES[question][1])
    assert "SELECT" not in closing["message"]


async def test_nothing_of_the_model_passes_the_border(customer: Customer) -> None:
    events = await customer.listen("answer")

    text = " ".join(event.data for event in events)
    assert "usage" not in names(events)
    assert not any(word in text for word in ("secret-model", "extractive", "internal", "inputTokens"))


@pytest.mark.parametrize(
    "question",
    ["", " \n\t　", "字" * 10_001, "bell\x07", "nul\x00", "escape\x1b[0m"],
    ids=["", "blank", "long", "7", "0", "27"],
)
async def test_what_nobody_could_have_typed_is_refused(customer: Customer, question: str) -> None:
    conversation = await customer.open_conversation()

    answer = await customer.post_ask(question, conversation=conversation)

    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")
    assert "question" in answer.json()["detail"]
    assert await customer.attempts(conversation) == []


@pytest.mark.parametrize(
    "body", [b'{"question": "\\ud800"}', b"{", b'{"question": 1}', b"[]", b"{}", b'{"x": 1}', b"\xff"]
)
async def test_a_malformed_body_is_refused(customer: Customer, body: bytes) -> None:
    path = f"/v1/conversations/{await customer.open_conversation()}/attempts"

    answer = await customer.http.post(path, content=body, headers={"Content-Type": "application/json"})

    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")


async def test_control_characters_in_typed_facts_are_refused(customer: Customer) -> None:
    path = f"/v1/conversations/{await customer.open_conversation()}/attempts"

    answer = await customer.http.post(path, json={"question": "answer", "facts": {"order": "a\x00"}})

    assert (answer.status_code, "facts" in answer.json()["detail"]) == (400, True)


@pytest.mark.parametrize("question", ["😀😀", "字" * 10_000, "  退款？\n谢谢\t"], ids=["emoji", "longest", "spaces"])
async def test_a_question_is_kept_as_it_was_typed(customer: Customer, question: str) -> None:
    assert (await customer.ask(question)).question == question


async def test_the_language_is_read_from_the_script_unless_it_is_said(customer: Customer) -> None:
    path = f"/v1/conversations/{await customer.open_conversation()}/attempts"

    said = await customer.http.post(path, json={"question": "退款", "language": "en"})

    assert said.json()["language"] == "en"
    assert [(await customer.ask(question)).language for question in ("退款", "refund")] == ["zh", "en"]


async def test_tomorrow_and_by_default_yesterday_cannot_be_asked_about(customer: Customer) -> None:
    path = f"/v1/conversations/{await customer.open_conversation()}/attempts"
    today = datetime.now(UTC).date()

    for day in (today + timedelta(days=2), today - timedelta(days=2)):
        answer = await customer.http.post(path, json={"question": "answer", "asOf": day.isoformat()})
        assert (answer.status_code, "asOf" in answer.json()["detail"]) == (400, True)


async def test_a_tenant_can_allow_earlier_days(bff_url: str, tenants_file: Path) -> None:
    tenant = add_tenant(tenants_file, past_dates=True)

    async with open_customer(bff_url, tenant) as customer:
        path = f"/v1/conversations/{await customer.open_conversation()}/attempts"
        answer = await customer.http.post(path, json={"question": "answer", "asOf": "2026-01-02"})

    assert (answer.status_code, answer.json()["asOf"]) == (200, "2026-01-02")


async def test_knowledge_is_told_who_asks_and_what_came_before(
    customer: Customer, knowledge: FakeKnowledge, keys_directory: Path
) -> None:
    conversation = await customer.open_conversation()
    await customer.ask("refusal", conversation=conversation)
    await customer.ask("answer", conversation=conversation)
    attempt = await customer.ask("又怎样？", conversation=conversation)

    asked, headers = knowledge.asked[attempt.attempt_id], knowledge.headers[attempt.attempt_id]
    keys = read_keys(public_file(keys_directory, "service"))
    claims = verify(keys, headers["authorization"].removeprefix("Bearer "), audience="knowledge")
    assert [(turn.question, turn.answered) for turn in asked.earlier_turns] == [("refusal", False), ("answer", True)]
    assert (claims["tenant"], claims["attemptId"], claims["path"]) == (
        customer.tenant,
        attempt.attempt_id,
        "/v1/answers",
    )
    assert claims["exp"] - claims["iat"] == 60


async def test_a_cited_passage_can_be_opened(customer: Customer, knowledge: FakeKnowledge) -> None:
    attempt = await customer.ask("answer")

    answer = await customer.http.get(attempt.citations[1].detail_url)

    cited = answer.json()
    assert cited["passage"][cited["quoteStart"] : cited["quoteEnd"]] == attempt.citations[1].quote
    assert f"{attempt.attempt_id}/2" in knowledge.headers


@pytest.mark.parametrize("index", ["0", "3", "-1", "01", "x", "1.0", "9" * 40])
async def test_a_citation_that_is_not_listed_is_not_found(customer: Customer, index: str) -> None:
    attempt = await customer.ask("answer")

    answer = await customer.http.get(attempt.citations[0].detail_url.rsplit("/", 1)[0] + f"/{index}")

    assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")


async def test_no_answer_of_the_api_is_kept_in_a_cache(customer: Customer) -> None:
    attempt = await customer.ask("answer")
    read = await customer.http.get(f"/v1/conversations/{attempt.conversation_id}")
    missing = await customer.http.get("/v1/nothing")

    assert {answer.headers["cache-control"] for answer in (read, missing)} == {"no-store"}


async def test_a_conversation_that_is_erased_while_a_question_comes_is_not_found(clients: Clients, tenant: str) -> None:
    attempt = make_attempt(attempt_id=uuid7(), lineage_id=uuid7(), conversation_id=uuid7(), tenant=tenant)
    shared = {field.name: getattr(attempt, field.name) for field in fields(NewAttempt) if hasattr(attempt, field.name)}
    new = NewAttempt(**shared, lease_holder=uuid7(), request=None)

    with pytest.raises(NotFoundError):
        async with clients.database.transaction(tenant) as connection:
            await AttemptStore(connection, tenant=tenant, customer="cus_1").add(new)


async def test_a_method_that_does_not_exist_names_those_that_do(customer: Customer) -> None:
    answer = await customer.http.put("/v1/conversations")

    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
