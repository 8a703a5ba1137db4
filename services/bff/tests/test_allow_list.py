"""Whatever happens, a customer reads what the contract names, and nothing of what lies behind it."""

from collections.abc import AsyncIterator

import httpx
import pytest

from contracts.ids import uuid7
from contracts.stream import UsageEvent
from runtime.sse import encode_event
from services.bff.tests import fake_knowledge
from services.bff.tests.client import KEY, STREAM, Customer, path_of
from services.bff.tests.fake_knowledge import FakeKnowledge
from tests.support.allow_list import CONTRACT, Recorder, Taken, leaks, shape_faults

pytestmark = pytest.mark.store

# What knowledge says to bff alone: the writer, its model, its prompt, what it cost, rows and places of passages.
PLANTED = ("planted-", "secret-model", "SELECT * FROM passage", "918273645", "/v1/internal", "be nice")
OUTCOMES = (
    "planted answer",
    "answer",
    "refusal",
    "complaint",
    "error",
    "cut",
    "torn",
    "empty",
    "unknown event",
    "extra field",
    "unavailable",
    "late",
    "broken",
    "denied",
)
JUDGEMENT = {"rating": "NOT_HELPFUL", "reasonCode": "OUTDATED", "comment": "太旧"}


async def planted_answer(_: FakeKnowledge, asked: fake_knowledge.AnswerRequest) -> AsyncIterator[bytes]:
    events = fake_knowledge.answer_events(asked.attempt_id, asked.conversation_id)
    usage = UsageEvent(
        writer="planted-writer",
        model="planted-model",
        input_tokens=918273645,
        output_tokens=918273645,
        finish_reason="planted-reason",
        knowledge_version=fake_knowledge.VERSION,
        documents=("planted-document",),
        areas=("planted-area",),
    )
    for number, event in enumerate((usage if isinstance(each, UsageEvent) else each for each in events), start=1):
        yield encode_event(event, number=number)


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    monkeypatch.setitem(fake_knowledge.BEHAVIOURS, "planted answer", planted_answer)
    return Recorder()


@pytest.fixture
async def watched(bff_url: str, customer: Customer, recorder: Recorder) -> AsyncIterator[Customer]:
    async with httpx.AsyncClient(base_url=bff_url, timeout=60, trust_env=False, transport=recorder) as http:
        answer = await http.post("/v1/sessions", json={"tenant": customer.tenant})
        http.headers["Authorization"] = f"Bearer {answer.json()['token']}"
        yield Customer(http, customer.tenant)


def all_leaks(recorder: Recorder) -> list[str]:
    return [leak for taken in recorder.taken for leak in leaks(taken, PLANTED)]


async def test_every_outcome_as_json_and_as_stream(watched: Customer, recorder: Recorder) -> None:
    for question in OUTCOMES:
        conversation = await watched.open_conversation()
        await watched.post_ask(question, conversation=conversation)
        await watched.listen(question, conversation=await watched.open_conversation())
        await watched.http.get(f"/v1/conversations/{conversation}")

    assert all_leaks(recorder) == []
    assert {200, 201, 502, 503, 504} <= {taken.status for taken in recorder.taken}


async def test_everything_a_customer_can_do_with_an_attempt(watched: Customer, recorder: Recorder) -> None:
    attempt = await watched.ask("planted answer")
    path = path_of(attempt)
    await watched.reattach(attempt)
    await watched.http.get(f"{path}/events", headers=STREAM | {"Last-Event-ID": "999"})
    for citation in attempt.citations:
        await watched.http.get(citation.detail_url)
    await watched.http.get(f"{path}/feedback")
    await watched.http.put(f"{path}/feedback", json=JUDGEMENT)
    await watched.http.get(f"{path}/feedback")
    await watched.http.post(f"{path}/retry")
    await watched.http.post(f"{path}/stream-token")
    escalation = await watched.escalate(attempt)
    place = f"/v1/conversations/{attempt.conversation_id}/escalations/{escalation.escalation_id}"
    tag = (await watched.http.get(place)).headers["etag"]
    await watched.http.get(place, headers={"If-None-Match": tag})
    await watched.post_ask("answer", conversation=attempt.conversation_id)
    await watched.http.post(f"{path}/cancel")
    await watched.read(attempt)
    await watched.http.get(f"/v1/conversations/{attempt.conversation_id}")
    await watched.http.delete(f"/v1/conversations/{attempt.conversation_id}")

    assert all_leaks(recorder) == []
    assert _operations() == {taken.operation for taken in recorder.taken} - {None}
    assert {200, 201, 204, 304, 404} <= {taken.status for taken in recorder.taken}


async def test_every_kind_of_problem(
    watched: Customer, recorder: Recorder, knowledge: FakeKnowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = await watched.ask("planted answer")
    path, conversation = path_of(attempt), f"/v1/conversations/{attempt.conversation_id}"
    key = {KEY: uuid7().hex}
    await watched.http.post(f"{conversation}/attempts", json={"question": "'; SELECT"[:1], "model": 1})
    await watched.http.post(f"{conversation}/attempts", content=b"{")
    await watched.http.post(f"{conversation}/attempts", json={"question": "x" * 300_000})
    await watched.http.get(f"{path}/nothing")
    await watched.http.get(path, headers={"Authorization": "Bearer nonsense"})
    await watched.http.get(conversation, headers={"Origin": "https://elsewhere.example"})
    await watched.http.patch(conversation)
    await watched.http.get(conversation, headers={"X-Long": "x" * 20_000})
    for question in ("answer", "refusal"):
        await watched.http.post(f"{conversation}/attempts", json={"question": question}, headers=key)
    for status in (404, 500, 503):
        monkeypatch.setattr(knowledge, "passage_status", status)
        await watched.http.get(f"{path}/citations/1")

    assert all_leaks(recorder) == []
    assert {400, 401, 403, 404, 405, 409, 413, 431, 503} <= {taken.status for taken in recorder.taken}


@pytest.mark.parametrize(
    ("body", "leak"),
    [
        (b'{"token":"t","tokenType":"Bearer","expiresAt":"2026-11-30T00:00:00Z","model":"m"}', "not in the contract"),
        (b'{"token":"t","tokenType":"Bearer"}', "misses expiresAt"),
        (b'{"token":"t","tokenType":"planted-x","expiresAt":"2026-11-30T00:00:00Z"}', "says 'planted-x'"),
        (b'{"token":"t","tokenType":"SELECT 1","expiresAt":"2026-11-30T00:00:00Z"}', "says 'SELECT 1'"),
        (b'{"token":"t","tokenType":"0af7651916cd43dd8448eb211c80319c","expiresAt":"2026"}', "says '0af7"),
    ],
)
def test_a_leak_is_seen(body: bytes, leak: str) -> None:
    taken = Taken("POST", "/v1/sessions", 201, {"content-type": "application/json"}, bytearray(body))

    assert leak in " ".join(leaks(taken, PLANTED))


def test_a_leak_deep_inside_an_event_is_seen() -> None:
    event = {"event": "heartbeat", "prompt": "be nice"}

    assert shape_faults(event, {"$ref": "#/components/schemas/AttemptEvent"}, "x") == [
        "x.prompt is not in the contract"
    ]


def _operations() -> set[tuple[str, str]]:
    return {(method.upper(), template) for template, methods in CONTRACT["paths"].items() for method in methods}
